/** The stored form of a recording: what a gate or an audit log saw of a run that stalemate did not make. */
import { z } from 'zod';
import type { Recording } from '../../model/recording.ts';
import { decodeJson, encode, parseJson, type Format } from './format.ts';
import { HISTORY, packHistory, unpackHistory } from './history.ts';
import type { StoredHistory } from './history-schema.ts';
import { SCHEDULE } from './schedule.ts';

type StoredRecording = Omit<Recording, 'history'> & { readonly history: StoredHistory };

const schema: z.ZodType<StoredRecording> = z
  .strictObject({
    version: z.literal(1),
    kind: z.literal('recording'),
    source: z.enum(['gate', 'audit-log']),
    actors: z.record(z.string(), z.string()),
    notes: z.array(z.string()),
    schedule: SCHEDULE.schema,
    history: HISTORY.schema,
  })
  .meta({ id: 'Recording', description: 'What was seen of a run, and how it deviated from the default order' });

export const RECORDING: Format<StoredRecording> = {
  kind: 'recording',
  version: 1,
  schema,
  upgrades: [],
  parts: { schedule: SCHEDULE, history: HISTORY },
};

/** The recording as a versioned JSON text. */
export function encodeRecording(recording: Recording): string {
  return encode(RECORDING, { ...recording, history: packHistory(recording.history) });
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeRecording(text: string, source: string): Recording {
  const stored = decodeJson(RECORDING, parseJson(text, source, 'recording'), source);
  return { ...stored, history: unpackHistory(stored.history, source) };
}
