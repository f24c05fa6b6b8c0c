import { expect, it } from 'vitest';
import { corpusEntryOf, type Revisited } from '../../model/corpus.ts';
import { signatureText } from '../../model/check-result.ts';
import { lostUpdate } from '../../report/test-findings.ts';
import { decodeCorpusEntry, encodeCorpusEntry } from '../../schedule/codec/corpus-entry.ts';
import { knownCauses } from './replay-first.ts';

const { counterexample, violation } = lostUpdate();
const CAUSE = { key: 'write | PUT | deployments.apps | stale', text: 'a PUT' };
const OLD = corpusEntryOf(counterexample, { state: 'open', reason: '', since: '2026-11-22' });
const SIGNATURE = signatureText(violation.signature);

function revisited(parts: Partial<Revisited>): Revisited {
  return { name: 'n', entry: OLD, outcome: 'fails', k: 1, n: 1, missed: [], ...parts };
}

it('covers all symptoms of the cause that an entry fails by, also of an entry from before causes', () => {
  const entry = corpusEntryOf({ ...counterexample, cause: CAUSE }, { state: 'open', reason: '', since: '2026-11-22' });
  const known = { key: CAUSE.key, signatures: [SIGNATURE] };

  expect(decodeCorpusEntry(encodeCorpusEntry(entry), 'e.json').cause).toEqual(CAUSE);
  expect(knownCauses([revisited({ entry })])).toEqual([known]);
  expect(knownCauses([revisited({ violation: { ...violation, cause: CAUSE } })])).toEqual([known]);
});

it('covers how an older entry looks where its run says nothing of a cause, and nothing that holds', () => {
  const old = decodeCorpusEntry(encodeCorpusEntry(OLD), 'e.json');

  expect(old.cause).toBeUndefined();
  expect(knownCauses([revisited({ entry: old, violation })])).toEqual([{ key: SIGNATURE, signatures: [SIGNATURE] }]);
  expect(knownCauses([revisited({ outcome: 'holds' })])).toEqual([]);
});
