/** The stored form of one line of a soak: a JSON document without line feeds, so that a truncated file loses only its last line. */
import { z } from 'zod';
import { MEASURE_NAMES, type BudgetCheck } from '../../model/baseline.ts';
import { CLUSTERS } from '../../model/cluster.ts';
import { CORPUS_STATES, REVISIT_OUTCOMES, type CorpusSummaryEntry } from '../../model/corpus.ts';
import { HarnessError, InvariantError } from '../../model/errors.ts';
import type { Inconclusive, PropertyTally, Remark } from '../../model/finding.ts';
import type { UnjudgedRun } from '../../model/recording.ts';
import type { BatchResult, SoakAbout, SoakBudget, SoakLine, SoakLineOf, UseColumns } from '../../model/soak.ts';
import type { Waiver } from '../../model/waiver.ts';
import { byMeasure } from './baseline.ts';
import { signature, type Shape } from './common.ts';
import { symptom } from './finding.ts';
import { decodeJson, parseJson, type Format } from './format.ts';
import { describeIssues } from './issues.ts';
import { packRecord, RECORD, unpackStored, type StoredRecord } from './record.ts';
import { packRecording, RECORDING, unpackRecording, type StoredRecording } from './recording.ts';

type StoredFinding = Omit<SoakLineOf<'finding'>, 'record'> & { readonly record: StoredRecord };
type StoredUnjudged = Omit<SoakLineOf<'inconclusive'>, 'recording'> & { readonly recording: StoredRecording };
type StoredLine = Exclude<SoakLine, { readonly line: 'finding' | 'inconclusive' }> | StoredFinding | StoredUnjudged;

const counts = z.record(z.string(), z.number());
const natural = z.int().min(0);

const place = {
  version: z.literal(1),
  kind: z.literal('soak-line'),
  about: z
    .string()
    // Folders are named after this digest.
    .regex(/^\w+$/, 'expected letters and digits')
    .meta({ description: 'Digest of target and configuration: lines that differ in it are not added up' }),
  epoch: z.string().min(1).meta({ description: 'What the seeds are derived from, besides the shard' }),
  shard: z.string().regex(/^\d+\/\d+$/, 'expected a shard like "3/16"'),
  at: z.string().meta({ description: 'Wall clock, ISO 8601' }),
};

const budget: z.ZodType<SoakBudget> = z.strictObject({
  timeMs: z.number().exactOptional(),
  runs: natural.exactOptional(),
} satisfies Shape<SoakBudget>);

const about = {
  name: z.string(),
  target: z.string(),
  cluster: z.enum(CLUSTERS),
  file: z.string().nullable(),
  properties: z.array(z.strictObject({ name: z.string(), about: z.string() })),
  contended: z.boolean().meta({ description: 'Whether any writer or fault was on' }),
} satisfies Shape<SoakAbout>;

const waiver: z.ZodType<Waiver> = z.strictObject({
  property: z.string(),
  kind: z.string().exactOptional(),
  field: z.string().exactOptional(),
  writer: z.string().exactOptional(),
  reason: z.string(),
  expires: z.string(),
} satisfies Shape<Waiver>);

const remark: z.ZodType<Remark> = z.strictObject({
  signature,
  sentence: z.string(),
  count: natural,
} satisfies Shape<Remark>);

const column = z.array(z.number());

const use: z.ZodType<UseColumns> = z
  .strictObject({
    pids: column,
    fileDescriptors: column,
    threads: column,
    memoryKb: column,
    requests: column,
    counted: natural,
    reconciles: counts,
  } satisfies Shape<UseColumns>)
  .meta({ description: 'What a process took of the system at rest, one number per run' });

const result: z.ZodType<BatchResult> = z
  .strictObject({
    seed: z.int(),
    writers: z.array(z.string()),
    faults: z.array(z.string()),
    strategies: z.array(z.string()).nullable().meta({ description: 'null: all of them' }),
    start: z.enum(['settled', 'empty']).nullable(),
    interrupted: z.boolean(),
    diverged: z.boolean(),
    runs: natural,
    verified: natural,
    elapsedMs: z.number().min(0),
    contention: counts,
    counts: counts.meta({ description: 'Runs that failed, by cause; by signature in older lines' }),
    symptoms: z
      .record(z.string(), z.array(symptom))
      .exactOptional()
      .meta({ description: 'How each of these causes showed; absent in older lines' }),
    perProperty: z.record(
      z.string(),
      z.strictObject({
        holds: natural,
        violated: natural,
        inconclusive: natural,
        vacuous: z.boolean(),
        untested: z.literal(true).exactOptional(),
      } satisfies Shape<PropertyTally>),
    ),
    inconclusive: z.strictObject({
      count: natural,
      reasons: counts,
      examples: z.record(z.string(), z.string()).exactOptional(),
      files: z.record(z.string(), z.string()).exactOptional(),
    } satisfies Shape<Inconclusive>),
    warnings: z.array(z.string()),
    remarks: z.array(remark).exactOptional().meta({ description: 'Warnings of properties' }),
    measures: byMeasure(z.number().min(0)),
    behaviours: z
      .array(natural)
      .meta({ description: 'The smallest hashes of what the target did: a sketch of how many' }),
    situations: z
      .array(z.string())
      .meta({ description: 'Actor, verb, kind, staleness and outcome of the situations seen' }),
    waived: z.array(z.strictObject({ waiver, count: natural })).exactOptional(),
    use: use.exactOptional(),
  } satisfies Shape<BatchResult>)
  .meta({ description: 'One campaign of the soak' });

const kept: z.ZodType<CorpusSummaryEntry> = z.strictObject({
  name: z.string(),
  state: z.enum(CORPUS_STATES),
  outcome: z.enum(REVISIT_OUTCOMES),
  regression: z.boolean(),
  property: z.string(),
  signature: z.string(),
  sentence: z.string(),
  reason: z.string(),
  reproduced: z.strictObject({ k: z.int(), n: z.int() }),
  missedAnchors: z.array(z.string()),
  detail: z.string().exactOptional(),
  moves: z.array(z.strictObject({ from: z.string(), to: z.string() })).exactOptional(),
  waived: z.literal(true).exactOptional(),
} satisfies Shape<CorpusSummaryEntry>);

const budgetCheck: z.ZodType<BudgetCheck> = z.strictObject({
  name: z.enum(MEASURE_NAMES),
  measured: z.number(),
  baseline: z.number(),
  limit: z.number(),
  exceeded: z.boolean(),
} satisfies Shape<BudgetCheck>);

const batch = natural.meta({ description: 'Its number within the shard' });

const schema: z.ZodType<StoredLine> = z
  .discriminatedUnion('line', [
    z.strictObject({
      ...place,
      line: z.literal('about'),
      ...about,
      seed: z.int(),
      budget,
      program: z.string().nullable(),
    }),
    z.strictObject({ ...place, line: z.literal('begun'), batch }),
    z.strictObject({
      ...place,
      line: z.literal('finding'),
      batch,
      record: RECORD.schema,
      also: z.array(z.string()).exactOptional().meta({ description: 'Other keys of its cause; absent in older lines' }),
    }),
    z.strictObject({ ...place, line: z.literal('inconclusive'), batch, recording: RECORDING.schema }),
    z.strictObject({ ...place, line: z.literal('batch'), batch, result }),
    z.strictObject({ ...place, line: z.literal('failed'), batch, message: z.string() }),
    z.strictObject({
      ...place,
      line: z.literal('judged'),
      kept: z.array(kept).meta({ description: 'Findings of the corpus, replayed at this start' }),
      budgets: z.array(budgetCheck).meta({ description: 'Measures compared with the baseline' }),
    }),
    z.strictObject({ ...place, line: z.literal('ended') }),
  ])
  .meta({ id: 'SoakLine', description: 'One line of soak.jsonl; each can be read alone' });

export const SOAK_LINE: Format<StoredLine> = {
  kind: 'soak-line',
  version: 1,
  schema,
  upgrades: [],
  parts: { record: RECORD, recording: RECORDING },
};

/** Encodes the line, without its line feed. */
export function encodeSoakLine(line: SoakLine): string {
  const stored = packed(line);
  const checked = schema.safeParse(stored);
  if (!checked.success)
    throw new InvariantError(`a line of a soak fits its schema, ${describeIssues(checked.error, stored)}`);
  return JSON.stringify(checked.data);
}

function packed(line: SoakLine): StoredLine {
  if (line.line === 'finding') return { ...line, record: packRecord(line.record) };
  return line.line === 'inconclusive' ? { ...line, recording: packRecording(line.recording) } : line;
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeSoakLine(text: string, source: string): SoakLine {
  const stored = decodeJson(SOAK_LINE, parseJson(text, source, 'line of a soak'), source);
  if (stored.line === 'inconclusive') return { ...stored, recording: unjudged(stored.recording, source) };
  if (stored.line !== 'finding') return stored;
  const { violation, stats, ...record } = unpackStored(stored.record, source);
  if (violation === undefined || stats === undefined) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" holds a finding without ${violation === undefined ? 'its violation' : 'its figures'}, expected it as "stalemate soak" has written it; copy the file from there again`,
    );
  }
  return { ...stored, record: { ...record, violation, stats } };
}

function unjudged(stored: StoredRecording, source: string): UnjudgedRun {
  const { inconclusive, ...recording } = unpackRecording(stored, source);
  if (inconclusive === undefined) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" holds a run without the reason why it is inconclusive, expected it as "stalemate soak" has written it; copy the file from there again`,
    );
  }
  return { ...recording, inconclusive };
}
