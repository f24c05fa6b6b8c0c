/** The stored form of a finding in the corpus: small, because it is reviewed and merged like code. */
import { z } from 'zod';
import { CORPUS_STATES, type CorpusEntry } from '../../model/corpus.ts';
import { CLUSTERS } from '../../model/cluster.ts';
import { cause, signature, type Shape } from './common.ts';
import { counterexampleTarget, runSettings } from './counterexample.ts';
import { decodeJson, encode, parseJson, type Format } from './format.ts';
import { SCHEDULE } from './schedule.ts';
import { WORKLOAD } from './workload.ts';

const schema: z.ZodType<CorpusEntry> = z
  .strictObject({
    version: z.literal(1),
    kind: z.literal('corpus-entry'),
    state: z.enum(CORPUS_STATES).meta({ description: 'A fixed one that fails again is a regression' }),
    reason: z.string().meta({ description: 'Why it is in that state' }),
    since: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day like "2026-11-22"')
      .meta({ description: 'The day of its last change of state' }),
    signature,
    cause: cause.exactOptional(),
    sentence: z.string(),
    target: counterexampleTarget,
    namespace: z.string().min(1),
    cluster: z.enum(CLUSTERS).exactOptional(),
    schedule: SCHEDULE.schema,
    workload: WORKLOAD.schema,
    config: runSettings,
    foundWith: z.strictObject({ stalemate: z.string(), node: z.string() }),
  } satisfies Shape<CorpusEntry>)
  .refine(({ state, reason }) => state !== 'quarantined' || reason.trim() !== '', {
    message: 'a quarantined entry needs a reason',
    path: ['reason'],
  })
  .meta({
    id: 'CorpusEntry',
    description:
      'A finding that a project keeps: state, schedule and workload; CRDs and manifests are those of the project',
  });

export const CORPUS_ENTRY: Format<CorpusEntry> = {
  kind: 'corpus-entry',
  version: 1,
  schema,
  upgrades: [],
  parts: { schedule: SCHEDULE, workload: WORKLOAD },
};

/** Encodes the entry as versioned JSON. */
export function encodeCorpusEntry(entry: CorpusEntry): string {
  return encode(CORPUS_ENTRY, entry);
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeCorpusEntry(text: string, source: string): CorpusEntry {
  return decodeJson(CORPUS_ENTRY, parseJson(text, source, 'corpus entry'), source);
}
