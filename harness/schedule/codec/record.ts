/** The stored form of a finding: counterexample and history in one file. */
import { z } from 'zod';
import type { Counterexample } from '../../model/counterexample.ts';
import type { FindingRecord } from '../../model/finding.ts';
import type { Shape } from './common.ts';
import { COUNTEREXAMPLE } from './counterexample.ts';
import { findingStats, violation } from './finding.ts';
import { decodeJson, encode, kindOf, parseJson, type Format } from './format.ts';
import { HISTORY, packHistory, unpackHistory } from './history.ts';
import type { StoredHistory } from './history-schema.ts';

type StoredRecord = Omit<FindingRecord, 'history'> & { readonly history: StoredHistory };

const schema: z.ZodType<StoredRecord> = z
  .strictObject({
    version: z.literal(2),
    kind: z.literal('record'),
    violation: violation.exactOptional(),
    stats: findingStats.exactOptional(),
    counterexample: COUNTEREXAMPLE.schema,
    history: HISTORY.schema,
  } satisfies Shape<StoredRecord>)
  .meta({
    id: 'Record',
    description: 'A finding: what is wrong, its counterexample and the history of the shrunk run',
  });

export const RECORD: Format<StoredRecord> = {
  kind: 'record',
  version: 2,
  schema,
  // Version 1 did not say what the campaign knew: readers judge its history again.
  upgrades: [(document) => document],
  parts: { counterexample: COUNTEREXAMPLE, history: HISTORY },
};

/** The record as a versioned JSON text. */
export function encodeRecord(record: FindingRecord): string {
  return encode(RECORD, { ...record, history: packHistory(record.history) });
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeRecord(text: string, source: string): FindingRecord {
  return unpackRecord(parseJson(text, source, 'record'), source);
}

/** What `replay` takes: a counterexample, or a record that has one inside. */
export function decodeReplayable(text: string, source: string): Counterexample {
  const json = parseJson(text, source, 'counterexample');
  return kindOf(json) === 'record'
    ? decodeJson(RECORD, json, source).counterexample
    : decodeJson(COUNTEREXAMPLE, json, source);
}

function unpackRecord(json: unknown, source: string): FindingRecord {
  const stored = decodeJson(RECORD, json, source);
  return { ...stored, history: unpackHistory(stored.history, source) };
}
