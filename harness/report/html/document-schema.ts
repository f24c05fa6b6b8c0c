/** The schema of the report document: published under docs/schemas, and applied to every page's data before it is written. */
import { z } from 'zod';
import {
  REPORT_VERSION,
  type ActorRate,
  type ChainVersion,
  type ComparedRow,
  type ComparedStep,
  type ObjectView,
  type ReportChain,
  type ReportDeviation,
  type ReportDocument,
  type ReportHead,
  type ReportNeighbour,
  type ReportRates,
  type ReportRow,
  type ReportStory,
  type RunEnd,
  type Sight,
  type ToldSights,
} from './document.ts';
import type { EventTable } from './event-table.ts';

/** Requires every key of the type, optional ones included: a field that is missing here is a type error. */
type Shape<T> = { readonly [key in keyof T]-?: z.ZodType };

const numbers = z.array(z.number());
const places = z.array(z.int().min(-1));
const texts = z.array(z.string());

const head: z.ZodType<ReportHead> = z.strictObject({
  title: z.string(),
  sentence: z.string(),
  cause: z.string().exactOptional().meta({ description: 'The request that caused it, or the watch that is missing' }),
  symptoms: z.array(z.string()).exactOptional().meta({ description: 'How else the cause shows' }),
  property: z.string(),
  class: z.string(),
  resource: z.string(),
  field: z.string().meta({ description: 'Leaf pattern; empty when no field is involved' }),
  severity: z.enum(['error', 'warning']),
  grade: z.enum(['everyday', 'restart-or-HA', 'pathological']).exactOptional(),
  tried: z.string().exactOptional(),
  mend: z.string().exactOptional().meta({ description: 'What usually fixes findings of this kind' }),
  blameless: z.literal(true).exactOptional().meta({ description: 'The page of a run without a finding' }),
  server: z.string().exactOptional().meta({ description: 'Whether it happened on a real API server, in words' }),
  lag: z.string().exactOptional().meta({ description: 'The least lag that reproduces it' }),
} satisfies Shape<ReportHead>);

const deviation: z.ZodType<ReportDeviation> = z.strictObject({
  row: z.literal('deviation'),
  at: z.number(),
  deviation: z.enum(['preemption', 'hold', 'release', 'fault']),
  ordinal: z.string().exactOptional(),
  text: z.string(),
  without: z.enum(['passes', 'still fails', 'other']).exactOptional(),
} satisfies Shape<ReportDeviation>);

type Row<R extends ReportRow['row']> = Extract<ReportRow, { row: R }>;

const row: z.ZodType<ReportRow> = z.union([
  z.strictObject({
    row: z.literal('operation'),
    at: z.number(),
    timeMs: z.number(),
    number: z.int(),
    actor: z.string(),
    request: z.string(),
    answer: z.string().exactOptional(),
    guilty: z.boolean(),
    remark: z.string().exactOptional(),
    stale: z.string().exactOptional(),
    base: z.string().exactOptional(),
  } satisfies Shape<Row<'operation'>>),
  z.strictObject({
    row: z.literal('seen'),
    at: z.number(),
    number: z.int(),
    actor: z.string(),
    text: z.string(),
  } satisfies Shape<Row<'seen'>>),
  deviation,
  z.strictObject({
    row: z.literal('event'),
    at: z.number(),
    actor: z.string(),
    text: z.string(),
    log: z.boolean(),
    guilty: z.boolean(),
  } satisfies Shape<Row<'event'>>),
  z.strictObject({ row: z.literal('folded'), at: z.number(), text: z.string() } satisfies Shape<Row<'folded'>>),
]);

const story: z.ZodType<ReportStory> = z.strictObject({
  actors: texts,
  server: z.string(),
  rows: z.array(row),
  unrelatedSteps: z.int(),
  atRest: z.array(z.strictObject({ object: z.string(), leaf: z.string(), expected: z.string(), actual: z.string() })),
  missed: texts,
} satisfies Shape<ReportStory>);

const comparedStep: z.ZodType<ComparedStep> = z.strictObject({
  request: z.string(),
  answer: z.string().exactOptional(),
  guilty: z.boolean(),
} satisfies Shape<ComparedStep>);

const comparedRow: z.ZodType<ComparedRow> = z.union([
  z.strictObject({
    row: z.literal('step'),
    actor: z.string(),
    same: z.boolean(),
    parts: z.boolean().meta({ description: 'The first row that differs' }),
    failing: comparedStep.exactOptional(),
    passing: comparedStep.exactOptional(),
    moved: z.enum(['earlier', 'later']).exactOptional().meta({ description: 'When the other run has it, if it does' }),
  } satisfies Shape<Extract<ComparedRow, { row: 'step' }>>),
  z.strictObject({ row: z.enum(['same', 'more']), steps: z.int() }),
]);

const neighbour: z.ZodType<ReportNeighbour> = z
  .strictObject({
    without: z.string(),
    rows: z.array(comparedRow),
    ends: z.array(
      z.strictObject({ object: z.string(), failing: z.string(), passing: z.string() } satisfies Shape<RunEnd>),
    ),
  } satisfies Shape<ReportNeighbour>)
  .meta({ description: 'The same run without one deviation, which passes, compared with this one' });

const chain: z.ZodType<ReportChain> = z.strictObject({
  object: z.string(),
  field: z.string(),
  versions: z.array(
    z.strictObject({
      at: z.number(),
      timeMs: z.number(),
      revision: z.number(),
      actor: z.string(),
      request: z.string(),
      base: z.number().exactOptional().meta({ description: 'Version that the content of the write stems from' }),
      under: z.number().exactOptional().meta({ description: 'Version that the request named' }),
      value: z.string(),
      intent: z.enum(['created', 'meant', 'carried', 'reverted', 'rebuilt', 'server', 'deleted', 'none']),
      role: z.enum(['guilty', 'victim', 'involved']).exactOptional(),
    } satisfies Shape<ChainVersion>),
  ),
} satisfies Shape<ReportChain>);

const sight: z.ZodType<Sight> = z.strictObject({
  at: z.number(),
  revision: z.number(),
  gone: z.boolean(),
  values: z.array(z.string().nullable()),
} satisfies Shape<Sight>);

const view: z.ZodType<ObjectView> = z.strictObject({
  object: z.string(),
  leaves: texts,
  live: z.array(sight),
  caches: z.array(
    z.strictObject({
      actor: z.string(),
      via: z.enum(['watch', 'answers']).meta({ description: 'watch: events and lists, which a cache goes by' }),
      told: z.array(sight),
    } satisfies Shape<ToldSights>),
  ),
} satisfies Shape<ObjectView>);

const rates: z.ZodType<ReportRates> = z.strictObject({
  fromMs: z.number(),
  bucketMs: z.number(),
  buckets: z.int(),
  actors: z.array(
    z.strictObject({
      actor: z.string(),
      reads: numbers,
      writes: numbers,
      refused: numbers,
    } satisfies Shape<ActorRate>),
  ),
  phases: z.array(
    z.strictObject({
      phase: z.enum(['setup', 'contention', 'heal', 'settle', 'idle', 'end']),
      timeMs: z.number(),
    }),
  ),
} satisfies Shape<ReportRates>);

const events: z.ZodType<EventTable> = z
  .strictObject({
    texts,
    at: numbers,
    timeMs: numbers,
    kind: places,
    actor: places,
    verb: places,
    object: places,
    text: places,
    label: places,
    bodies: z.record(z.string(), z.string()).meta({ description: 'Request bodies by row, while there is room' }),
    causes: z.array(places).meta({ description: 'Rows that each row follows from' }),
  } satisfies Shape<EventTable>)
  .meta({ description: 'Columns of equal length that point into texts; -1 points nowhere' });

/** The schema of a page's data. */
export const reportSchema: z.ZodType<ReportDocument> = z
  .strictObject({
    version: z.literal(REPORT_VERSION),
    kind: z.literal('report'),
    head,
    story,
    counterfactuals: z.array(deviation),
    neighbour: neighbour.exactOptional(),
    chains: z.array(chain),
    views: z.array(view),
    rates,
    events,
    reproduce: z.array(z.strictObject({ what: z.string(), command: z.string() })),
    waiver: z.string().exactOptional().meta({ description: 'The line to paste among the waivers' }),
    environment: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    notes: texts,
  } satisfies Shape<ReportDocument>)
  .meta({ id: 'Report', description: 'All that the page of a finding shows' });
