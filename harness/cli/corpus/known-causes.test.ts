import { expect, it } from 'vitest';
import { corpusEntryOf, type Revisited } from '../../model/corpus.ts';
import { KnownCauses, type Suspect } from '../../execution/search/known-causes.ts';
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import { lostUpdate } from '../../report/test-findings.ts';
import { decodeCorpusEntry, encodeCorpusEntry } from '../../schedule/codec/corpus-entry.ts';
import { knownCauses } from './replay-first.ts';

const { counterexample, violation } = lostUpdate();
const CAUSE = { key: 'write | PUT | deployments.apps | stale', text: 'a PUT' };
const OLD = corpusEntryOf(counterexample, { state: 'open', reason: '', since: '2026-11-22' });
const CAUSED = corpusEntryOf({ ...counterexample, cause: CAUSE }, { state: 'open', reason: '', since: '2026-11-22' });
/** Another bug, or another symptom of the same bug: only shrinking the violation shows which. */
const OTHER = { ...violation, signature: { ...violation.signature, field: 'metadata.labels' } };
const SIGNATURE = signatureText(violation.signature);

function revisited(parts: Partial<Revisited>): Revisited {
  return { name: 'n', entry: OLD, outcome: 'fails', k: 1, n: 1, missed: [], ...parts };
}

function suspect(of: Violation, key = CAUSE.key): Suspect {
  return { violation: of, causes: { candidates: [{ key, text: key }], certain: true } };
}

it('covers all symptoms of the cause that an open or fixed entry fails by', () => {
  const entry = decodeCorpusEntry(encodeCorpusEntry(CAUSED), 'e.json');
  const known = { key: CAUSE.key, signatures: [SIGNATURE] };

  expect(entry.cause).toEqual(CAUSE);
  expect(knownCauses([revisited({ entry })])).toEqual([known]);
  expect(knownCauses([revisited({ entry: { ...entry, state: 'fixed' } })])).toEqual([known]);
});

it('hides no other symptom behind an entry that fails no run: in quarantine, or waived', () => {
  const aside = [
    revisited({ entry: { ...CAUSED, state: 'quarantined', reason: 'waits' } }),
    revisited({ entry: CAUSED, waiver: { property: 'no-lost-update', reason: 'known', expires: '2027-01-01' } }),
  ];

  for (const one of aside) {
    const known = new KnownCauses(knownCauses([one]));
    expect(known.isNew(suspect(violation))).toBe(false);
    expect(known.isNew(suspect(OTHER))).toBe(true);
  }
});

it.each(['missed | widgets', 'restart | widgets', 'two leaders', 'process ends', 'never finished | widgets'])(
  'hides no other bug behind "%s", which two bugs can have',
  (key) => {
    const entry = { ...CAUSED, cause: { key, text: key } };
    const known = new KnownCauses(knownCauses([revisited({ entry })]));

    expect(known.isNew(suspect(violation, key))).toBe(false);
    expect(known.isNew(suspect(OTHER, key))).toBe(true);
  },
);

it('covers how an older entry looks, whatever its run says of a cause, and nothing that holds', () => {
  const old = decodeCorpusEntry(encodeCorpusEntry(OLD), 'e.json');

  expect(old.cause).toBeUndefined();
  expect(knownCauses([revisited({ entry: old, violation: { ...violation, cause: CAUSE } })])).toEqual([
    { key: SIGNATURE, signatures: [] },
  ]);
  expect(knownCauses([revisited({ outcome: 'holds' })])).toEqual([]);
});
