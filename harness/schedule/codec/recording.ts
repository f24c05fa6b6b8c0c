/** The stored form of a recording: a run without a verdict, see `model/recording.ts`. */
import { z } from 'zod';
import type { Recording } from '../../model/recording.ts';
import { decodeJson, encode, parseJson, type Format } from './format.ts';
import { HISTORY, packHistory, unpackHistory } from './history.ts';
import type { StoredHistory } from './history-schema.ts';
import { SCHEDULE } from './schedule.ts';

export type StoredRecording = Omit<Recording, 'history'> & { readonly history: StoredHistory };

const schema: z.ZodType<StoredRecording> = z
  .strictObject({
    version: z.literal(2),
    kind: z.literal('recording'),
    source: z.enum(['gate', 'audit-log', 'run']),
    inconclusive: z
      .strictObject({ property: z.string(), reason: z.string() })
      .exactOptional()
      .meta({ description: 'Of a run of a campaign: the property that is inconclusive, and why' }),
    actors: z.record(z.string(), z.string()),
    notes: z.array(z.string()),
    schedule: SCHEDULE.schema,
    history: HISTORY.schema,
  })
  .meta({ id: 'Recording', description: 'What was seen of a run, and how it deviated from the default order' });

export const RECORDING: Format<StoredRecording> = {
  kind: 'recording',
  version: 2,
  schema,
  // Version 1 could not hold runs of campaigns.
  upgrades: [(stored) => stored],
  parts: { schedule: SCHEDULE, history: HISTORY },
};

/** Encodes the recording as versioned JSON. */
export function encodeRecording(recording: Recording): string {
  return encode(RECORDING, packRecording(recording));
}

/** Converts the recording to its stored form. */
export function packRecording(recording: Recording): StoredRecording {
  return { ...recording, history: packHistory(recording.history) };
}

/** Restores the recording from its stored form. */
export function unpackRecording(stored: StoredRecording, source: string): Recording {
  return { ...stored, history: unpackHistory(stored.history, source) };
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeRecording(text: string, source: string): Recording {
  return unpackRecording(decodeJson(RECORDING, parseJson(text, source, 'recording'), source), source);
}
