/** Tests two bugs that affect the same object: knowing one must not hide the other. Causes are derived from hand-written histories. */
import { expect, it } from 'vitest';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import type { History } from '../../model/history.ts';
import { causesOf, otherNames } from '../../oracle/cause.ts';
import { historyBuilder, manifest, type HistoryBuilder } from '../../oracle/test-history.ts';
import { violation } from '../run/test-verdicts.ts';
import { KnownCauses, type Suspect } from './known-causes.ts';

const KIND = 'widgets.example.com';
const MISSED = `missed | ${KIND}`;
const PUT = `write | PUT without a version | ${KIND} | stale`;

function started(): { built: HistoryBuilder; read: KubeObject } {
  const built = historyBuilder();
  built.create('user', KIND, manifest('Widget', 'a', { spec: { replicas: 1 }, status: {} }));
  built.phase('contention');
  return { built, read: built.get('controller', KIND, 'a') };
}

function outcome(more: Partial<Violation['signature']> = {}): Violation {
  return violation({ property: 'convergence', class: 'wrong-value', kind: KIND, field: 'spec.replicas', ...more });
}

function suspect(history: History, of: Violation): Suspect {
  const [causes] = causesOf(history, [of]);
  if (causes === undefined) throw new Error('no causes');
  return { violation: of, causes };
}

/** Returns the suspect of a run that ends in a wrong state without evidence of the cause. */
function missed(more: Partial<Violation['signature']> = {}): Suspect {
  return suspect(started().built.build(), outcome(more));
}

/** Returns the suspect of a run that ends in a wrong state because an old value was written back. */
function carriedBack(): Suspect {
  const { built, read } = started();
  built.edit('writer-1', KIND, 'a', ['spec', 'replicas'], 3);
  const {
    metadata: { resourceVersion: _version, ...metadata },
    ...rest
  } = read;
  const { committed } = built.update('controller', KIND, { ...rest, metadata });
  return suspect(built.build(), { ...outcome(), revisions: [...committed] });
}

function knownBy(first: Suspect, key = first.causes.candidates[0].key): KnownCauses {
  const known = new KnownCauses([]);
  known.learn(first, key);
  return known;
}

it('looks into an outcome that the run explains, though what it makes of the object is known', () => {
  const known = knownBy(missed());

  expect(missed().causes.candidates[0].key).toBe(MISSED);
  expect(carriedBack().causes.candidates.map(({ key }) => key)).toEqual([PUT, MISSED]);
  expect(known.isNew(carriedBack())).toBe(true);
  expect(known.isNew(missed({ field: 'status.ready' }))).toBe(false);
});

it('looks into it once where shrinking shows that it was the known cause after all', () => {
  const known = knownBy(missed());
  known.learn(carriedBack(), MISSED);

  expect(known.ownerOf(carriedBack())).toBe(MISSED);
});

it('takes an outcome that nothing explains for a symptom of the write that led to the same', () => {
  const known = knownBy(carriedBack());

  expect(known.ownerOf(missed())).toBe(PUT);
  expect(known.isNew(missed({ field: 'status.ready' }))).toBe(true);
});

it('takes the next request that is given up for the same work that stops, but not a conflict that is dropped', () => {
  const after = (resource: string, code: number, reason: string): Suspect => {
    const { built, read } = started();
    built.begin('controller', 'update', resource, 'a', { body: read }).fail(code, reason);
    return suspect(built.build(), outcome());
  };
  const [first, next, dropped] = [after('things', 500, ''), after('pods', 503, ''), after(KIND, 409, 'Conflict')];
  const known = new KnownCauses([]);
  const { candidates } = first.causes;
  known.learn(first, candidates[0].key, otherNames(candidates));

  expect([next, dropped].map((one) => known.ownerOf(one))).toEqual(['given up | update things | an error', undefined]);
});

it('looks into what comes with a crash only, or with a second replica only', () => {
  const { built, read } = started();
  built.update('controller', KIND, read);
  built.update('controller~2', KIND, built.get('controller~2', KIND, 'a'));
  const two = suspect(built.build(), outcome());
  const crash = missed({ property: 'crash-equivalence', field: 'status.ready' });
  const known = knownBy(missed());

  expect([two, crash].map(({ causes }) => causes.candidates[0].key)).toEqual(['two leaders', `restart | ${KIND}`]);
  expect([two, crash].map((one) => known.isNew(one))).toEqual([true, true]);
  // The wrong outcome has the same cause whether or not a crash occurred in the run.
  expect(known.ownerOf(missed({ property: 'crash-equivalence' }))).toBe(MISSED);
});

it('takes an outcome that an earlier worker had found for known unless the run explains it', () => {
  const signatures = [signatureText(outcome().signature)];
  const known = new KnownCauses([{ key: MISSED, signatures }]);

  expect([missed(), carriedBack()].map((one) => known.isNew(one))).toEqual([false, true]);
});
