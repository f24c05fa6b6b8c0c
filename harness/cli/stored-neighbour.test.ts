import { describe, expect, it } from 'vitest';
import type { FindingRecord } from '../model/finding.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { decodeRecord, encodeRecord } from '../schedule/codec/record.ts';

/** Returns a record of the failing run and a passing neighbour: the same run without its last operation. */
function record(): FindingRecord {
  const { violation, stats, counterexample, record: history } = lostUpdate();
  const passing = {
    ...history,
    operations: history.operations.slice(0, -1),
    revisions: history.revisions.slice(0, -1),
    deliveries: [],
    processes: [],
    decisions: [],
  };
  const neighbour = { without: 'before a run b', history: passing };
  return { version: 3, kind: 'record', violation, stats, counterexample, history, neighbour };
}

describe('the neighbour in a record', () => {
  it('comes back as it was, and what the failing run has too is written once', () => {
    const text = encodeRecord(record());
    const { neighbour } = JSON.parse(text) as { neighbour: { operations: unknown[]; objects: object; shared: object } };

    expect(decodeRecord(text, 'r.json')).toEqual(record());
    expect(encodeRecord(decodeRecord(text, 'r.json'))).toBe(text);
    expect(neighbour).toMatchObject({ operations: [], objects: {}, shared: { operations: 5, revisions: 2 } });
  });

  it('is absent in records of before, which are read all the same', () => {
    const { neighbour: _neighbour, ...before } = record();
    const old = encodeRecord(before).replace('"version": 3', '"version": 2');

    expect(decodeRecord(old, 'r.json')).toEqual(before);
  });

  it('is refused when it shares more than the failing run has', () => {
    const text = encodeRecord(record()).replace('"operations": 5', '"operations": 500');

    expect(() => decodeRecord(text, 'r.json')).toThrow(
      '"r.json" is not a valid record: at neighbour.shared.operations: expected at most 6, as "history" has, found 500',
    );
  });
});
