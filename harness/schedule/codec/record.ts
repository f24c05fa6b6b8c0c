/** The stored form of a finding: counterexample, history and the neighbouring run that passes, in one file. */
import { z } from 'zod';
import type { Counterexample } from '../../model/counterexample.ts';
import type { FindingRecord } from '../../model/finding.ts';
import type { Shape } from './common.ts';
import { COUNTEREXAMPLE } from './counterexample.ts';
import { findingStats, violation } from './finding.ts';
import { decodeJson, encode, kindOf, parseJson, type Format } from './format.ts';
import { HISTORY, packHistory, unpackHistory } from './history.ts';
import type { StoredHistory } from './history-schema.ts';
import { NEIGHBOUR, packNeighbour, unpackNeighbour, type StoredNeighbour } from './neighbour.ts';

export type StoredRecord = Omit<FindingRecord, 'history' | 'neighbour'> & {
  readonly history: StoredHistory;
  readonly neighbour?: StoredNeighbour;
};

const schema: z.ZodType<StoredRecord> = z
  .strictObject({
    version: z.literal(3),
    kind: z.literal('record'),
    violation: violation.exactOptional(),
    stats: findingStats.exactOptional(),
    counterexample: COUNTEREXAMPLE.schema,
    history: HISTORY.schema,
    neighbour: NEIGHBOUR.schema.exactOptional(),
  } satisfies Shape<StoredRecord>)
  .meta({
    id: 'Record',
    description: 'A finding: what is wrong, its counterexample and the history of the shrunk run',
  });

export const RECORD: Format<StoredRecord> = {
  kind: 'record',
  version: 3,
  schema,
  // Version 1 had no violation: readers judge its history again. Version 2 had no neighbouring run: readers do without one.
  upgrades: [(document) => document, (document) => document],
  parts: { counterexample: COUNTEREXAMPLE, history: HISTORY, neighbour: NEIGHBOUR },
};

/** Encodes the record as versioned JSON. */
export function encodeRecord(record: FindingRecord): string {
  return encode(RECORD, packRecord(record));
}

/** Converts the record to its stored form. */
export function packRecord(record: FindingRecord): StoredRecord {
  const { neighbour, ...rest } = record;
  const history = packHistory(record.history);
  return { ...rest, history, ...(neighbour === undefined ? {} : { neighbour: packNeighbour(neighbour, history) }) };
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeRecord(text: string, source: string): FindingRecord {
  return unpackRecord(parseJson(text, source, 'record'), source);
}

/** Decodes the input of `replay`: a counterexample, or a record that contains one. */
export function decodeReplayable(text: string, source: string): Counterexample {
  const json = parseJson(text, source, 'counterexample');
  return kindOf(json) === 'record'
    ? decodeJson(RECORD, json, source).counterexample
    : decodeJson(COUNTEREXAMPLE, json, source);
}

function unpackRecord(json: unknown, source: string): FindingRecord {
  return unpackStored(decodeJson(RECORD, json, source), source);
}

/** Restores the record from its stored form. */
export function unpackStored({ neighbour, ...stored }: StoredRecord, source: string): FindingRecord {
  return {
    ...stored,
    history: unpackHistory(stored.history, source),
    ...(neighbour === undefined ? {} : { neighbour: unpackNeighbour(neighbour, stored.history, source) }),
  };
}
