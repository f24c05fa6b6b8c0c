import { expect, it } from 'vitest';
import type { Cause } from '../../model/cause.ts';
import { signatureText } from '../../model/signature.ts';
import { causesOf } from '../../oracle/cause.ts';
import { historyBuilder } from '../../oracle/test-history.ts';
import { becauseOf, symptomLines } from '../../report/symptoms.ts';
import { violation } from '../run/test-verdicts.ts';
import { inOrder, KnownCauses, type Suspect } from './known-causes.ts';
import { newTally } from './tally.ts';

const PUT: Cause = { key: 'write | PUT', text: 'a PUT' };
const PATCH: Cause = { key: 'write | patch', text: 'a patch' };
const SPEC = signatureText(violation({ field: 'spec' }).signature);

function named(field: string, cause = PUT): Suspect {
  return { violation: violation({ field }), causes: { candidates: [cause], certain: true } };
}

function outcome(field: string, ...[first = PUT, ...more]: readonly Cause[]): Suspect {
  return { violation: violation({ field }), causes: { candidates: [first, ...more], certain: false } };
}

it('knows further symptoms of a cause that was found, or that an earlier worker had found', () => {
  const known = new KnownCauses([{ key: PATCH.key, signatures: [] }]);
  known.learn(named('spec'), PUT.key);

  expect(known.ownerOf(named('status'))).toBe(PUT.key);
  expect(known.ownerOf(named('status', PATCH))).toBe(PATCH.key);
});

it('knows the other keys of a cause that an earlier worker had found, but none that is a cause of its own', () => {
  const [one, other] = ['children | pods', PATCH.key];
  const known = new KnownCauses([
    { key: PATCH.key, signatures: [] },
    { key: PUT.key, signatures: [], also: [one, other] },
  ]);

  expect(known.ownerOf(named('status', { key: one, text: '' }))).toBe(PUT.key);
  expect(known.ownerOf(named('status', PATCH))).toBe(PATCH.key);
});

it('tells the same loss by another request apart, unless all that is known is how it looks', () => {
  const known = new KnownCauses([{ key: PUT.key, signatures: [SPEC] }]);

  expect(known.isNew(named('spec', PATCH))).toBe(true);
  expect(new KnownCauses([{ key: SPEC, signatures: [SPEC] }]).ownerOf(named('spec', PATCH))).toBe(SPEC);
});

it('takes an outcome for a symptom of any known cause that it may have, or of one that had that outcome before', () => {
  const known = new KnownCauses([]);
  known.learn(outcome('spec', PATCH), PUT.key);

  expect(known.ownerOf(outcome('status', PATCH, PUT))).toBe(PUT.key);
  expect(known.ownerOf(outcome('spec', PATCH))).toBe(PUT.key);
  expect(known.isNew(outcome('status', PATCH))).toBe(true);
});

it('looks for a better example of a cause whose first one would fail no run, a few times', () => {
  const known = new KnownCauses([]);
  known.learn(named('spec'), PUT.key);
  expect(known.isToReport(PUT.key, { isFirst: true, isWeak: true })).toBe(true);
  expect(known.isNew(named('status'))).toBe(true);

  known.spend(PUT.key);
  expect(known.isToReport(PUT.key, { isFirst: false, isWeak: true })).toBe(false);
  known.spend(PUT.key);
  expect(known.isNew(named('status'))).toBe(true);
  known.spend(PUT.key);
  expect(known.isNew(named('status'))).toBe(false);
});

it('reports the better example and is done with the cause, also of one that an earlier worker had found', () => {
  const known = new KnownCauses([{ key: PUT.key, signatures: [], weak: true }]);

  expect(known.isNew(named('status'))).toBe(true);
  expect(known.isToReport(PUT.key, { isFirst: false, isWeak: false })).toBe(true);
  expect(known.isNew(named('status'))).toBe(false);
  expect(known.isToReport(PUT.key, { isFirst: false, isWeak: false })).toBe(false);
});

it('reports the better example also where it has another name of the cause', () => {
  const known = new KnownCauses([{ key: PATCH.key, signatures: [], also: [PUT.key], weak: true }]);

  expect(known.isToReport(PUT.key, { isFirst: false, isWeak: false })).toBe(true);
  expect(known.isNew(named('status'))).toBe(false);
});

it('counts a run once for a cause, and each of its symptoms', () => {
  const known = new KnownCauses([{ key: PUT.key, signatures: [] }]);
  const tally = newTally();

  known.count([named('spec'), named('status'), named('other', PATCH)], tally);
  known.count([named('spec')], tally);

  expect(tally.causes).toEqual({ [PUT.key]: 2 });
  expect(Object.values(tally.symptoms[PUT.key] ?? {}).map(({ count }) => count)).toEqual([2, 1]);
});

it('names the resource of every watch that was given up, in the symptoms of the one cause that they have', () => {
  const history = historyBuilder();
  const known = new KnownCauses([]);
  const [tally, kinds] = [newTally(), ['pods', 'secrets']];
  for (const kind of kinds) {
    history.call('controller', 'watch', kind, '');
    history.endStream('controller', kind, 'closed');
    const deaf = violation({ property: 'convergence', class: 'stopped-watching', kind, field: '' });
    const [causes] = causesOf(history.build(), [deaf]);
    if (causes === undefined) throw new Error('no causes');
    const suspect = { violation: deaf, causes };
    if (known.isNew(suspect)) known.learn(suspect, causes.candidates[0].key);
    known.count([suspect], tally);
  }

  const [of, ...more] = Object.values(tally.symptoms).map((symptoms) => Object.values(symptoms));
  const { symptoms = [] } = becauseOf({}, { symptoms: of ?? [] });

  expect(more).toEqual([]);
  expect(symptomLines(symptoms).join('\n')).toMatch(/ of pods: .*\n.* of secrets: /);
});

it('looks into what came back in no run again when it is seen again, three times in all', () => {
  const known = new KnownCauses([]);
  const again = [1, 2, 3].map(() => {
    known.lookedInVain(named('spec'));
    return known.isNew(named('spec'));
  });

  expect(again).toEqual([true, true, false]);
  expect(known.isNew(named('status'))).toBe(true);
});

it('looks into what names its cause first, and into convergence last', () => {
  const late: Suspect = { ...outcome('a', PATCH), violation: violation({ property: 'convergence' }) };
  const deletion: Suspect = { ...outcome('b', PATCH), violation: violation({ property: 'deletion-completes' }) };
  const write = named('c');

  expect(inOrder([late, deletion, write])).toEqual([write, deletion, late]);
});
