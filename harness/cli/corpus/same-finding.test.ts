import { expect, it } from 'vitest';
import type { Cause } from '../../model/cause.ts';
import { corpusEntryOf, type CorpusEntry, type CorpusState, type NamedEntry } from '../../model/corpus.ts';
import type { Signature } from '../../model/signature.ts';
import { lostUpdate } from '../../report/test-findings.ts';
import { doublesIn, freeName, keptAs } from './same-finding.ts';

const { counterexample } = lostUpdate();
const PUT = { key: 'write | PUT | deployments.apps | stale', text: 'a PUT' };
const MISSED = { key: 'missed | widgets', text: 'wrong final state of widgets' };
const OTHER_SYMPTOM: Signature = { ...counterexample.signature, property: 'convergence', field: 'metadata.labels' };

function entry(
  state: CorpusState,
  { cause, signature = counterexample.signature }: { readonly cause?: Cause; readonly signature?: Signature } = {},
): CorpusEntry {
  const of = { ...counterexample, signature, ...(cause === undefined ? {} : { cause }) };
  return corpusEntryOf(of, { state, reason: 'why', since: '2026-11-22' });
}

function named(name: string, of: CorpusEntry): NamedEntry {
  return { name, entry: of };
}

it.each(['fixed', 'quarantined'] as const)('finds what is %s by its cause, whichever symptom came first', (state) => {
  const kept = [named('lost-update-1', entry(state, { cause: PUT }))];
  const given = entry('open', { cause: PUT, signature: OTHER_SYMPTOM });

  expect(freeName(kept, given)).toMatch(/^not-converged-/);
  expect(keptAs(kept, given)).toBe(kept[0]);
});

it('finds an entry from before causes by its signature, and one that is decided before one that is open', () => {
  const open = named('a', entry('open'));
  const fixed = named('b', entry('fixed'));

  expect(keptAs([open], entry('open', { cause: PUT }))).toBe(open);
  expect(keptAs([open, fixed], entry('open', { cause: PUT }))).toBe(fixed);
});

it('makes an entry of its own of another bug, also where both have a cause that names no request', () => {
  const one = entry('quarantined', {
    cause: MISSED,
    signature: { ...OTHER_SYMPTOM, field: `${OTHER_SYMPTOM.field}.more` },
  });
  const other = entry('open', { cause: MISSED, signature: OTHER_SYMPTOM });
  const kept = [named(freeName([], one), one)];

  expect(keptAs(kept, other)).toBeUndefined();
  expect(freeName(kept, other)).toMatch(new RegExp(`^${kept[0]?.name ?? ''}-[0-9a-f]{6}$`));
  expect(keptAs(kept, entry('open', { cause: PUT }))).toBeUndefined();
});

it('tells the same finding of another target apart', () => {
  const mine = entry('fixed', { cause: PUT });
  const theirs: CorpusEntry = {
    ...mine,
    target: { ...counterexample.target, module: 'other.ts' },
  };

  expect(keptAs([named('a', theirs)], mine)).toBeUndefined();
});

it('takes for doubles what has one signature and state, not one cause', () => {
  const fixed = named('a', entry('fixed', { cause: PUT }));
  const open = named('b', entry('open', { cause: PUT }));
  const symptom = named('c', entry('open', { cause: PUT, signature: OTHER_SYMPTOM }));
  const twin = named('d', entry('open'));

  expect(doublesIn([fixed, open, symptom, twin])).toEqual([twin]);
});
