/** The schema of the run document: published under docs/schemas, and applied to every document before it is shown. */
import { leftOutSchema } from '../left-out.ts';
import { remarksSchema } from '../remarks.ts';
import { z } from 'zod';
import { CORPUS_STATES } from '../../model/corpus.ts';
import { seenSchema, soakSchema } from '../soak/text.ts';
import { causeSchema, confirmationSchema, printedSchema, symptomsSchema, waivedSchema } from '../summary.ts';
import {
  RUN_VERSION,
  type KeptFinding,
  type PropertyLine,
  type ReportedFinding,
  type RunDocument,
  type Scenario,
} from './document.ts';

/** Requires every key of the type, optional ones included: a field that is missing here is a type error. */
type Shape<T> = { readonly [key in keyof T]-?: z.ZodType };

const path = z
  .string()
  .nullable()
  .meta({ description: 'From the working directory; null when it could not be written' });
const outcome = z.enum(['holds', 'violated', 'inconclusive', 'vacuous', 'interrupted']);
const counters = z.record(z.string(), z.number());

const finding: z.ZodType<ReportedFinding> = z.strictObject({
  stem: z.string().meta({ description: 'Its number is the same for the same cause, wherever it is found' }),
  signature: z.string(),
  title: z.string(),
  sentence: z.string(),
  cause: causeSchema.exactOptional(),
  symptoms: symptomsSchema.exactOptional(),
  property: z.string(),
  class: z.string(),
  resource: z.string(),
  field: z.string(),
  grade: z.enum(['everyday', 'restart-or-HA', 'pathological']),
  fails: z.boolean().meta({ description: 'False for what is reported only' }),
  onBase: z
    .enum(['fails', 'holds', 'unknown'])
    .exactOptional()
    .meta({ description: 'On the base build: what fails there too is not new' }),
  confirmed: confirmationSchema.exactOptional(),
  tried: z.string(),
  story: z.string().meta({ description: 'As the terminal shows it' }),
  sequence: z.string().meta({ description: 'The same as a Mermaid sequence diagram' }),
  reproduced: z.strictObject({ k: z.int(), n: z.int() }),
  count: z.int().meta({ description: 'Runs that showed this cause' }),
  seen: seenSchema.exactOptional(),
  counterexample: path,
  record: path,
  page: path,
} satisfies Shape<ReportedFinding>);

const property: z.ZodType<PropertyLine> = z.strictObject({
  name: z.string(),
  about: z.string(),
  holds: z.int(),
  violated: z.int(),
  inconclusive: z.int(),
  vacuous: z.boolean(),
  untested: z.literal(true).exactOptional().meta({ description: 'No run exercised it' }),
} satisfies Shape<PropertyLine>);

const kept: z.ZodType<KeptFinding> = z.strictObject({
  name: z.string(),
  property: z.string(),
  sentence: z.string(),
  state: z.enum(CORPUS_STATES),
  outcome: z.enum(['fails', 'fails-otherwise', 'holds', 'stale', 'unclear', 'not-reached', 'other-target']),
  regression: z.boolean().meta({ description: 'Was fixed, and fails again' }),
  result: z.enum(['passed', 'failed', 'silent', 'aside']).meta({ description: 'aside: reported only' }),
  about: z.string(),
} satisfies Shape<KeptFinding>);

const scenario: z.ZodType<Scenario> = z.strictObject({
  name: z.string(),
  target: z.string(),
  cluster: z.string(),
  seed: z.int(),
  budget: z.string(),
  file: z.string().nullable().meta({ description: 'Where annotations point to' }),
  outcome,
  runs: z.int(),
  verified: z.int().meta({ description: 'Runs made twice with byte-identical histories' }),
  elapsedMs: z.number(),
  contention: counters.meta({ description: 'How hard the runs contended, by counter' }),
  properties: z.array(property),
  findings: z.array(finding),
  kept: z.array(kept).meta({ description: 'Findings of the corpus, replayed before the search' }),
  inconclusive: z.strictObject({
    count: z.int(),
    reasons: z.array(z.strictObject({ why: z.string(), count: z.int(), page: z.string().exactOptional() })),
  }),
  warnings: z.array(z.string()),
  printed: printedSchema.exactOptional(),
  remarks: remarksSchema.exactOptional(),
  stoppedEarly: z.literal(true).exactOptional().meta({ description: 'The search did not finish' }),
  leftOut: z.array(leftOutSchema).exactOptional(),
  waived: z.array(waivedSchema).meta({ description: 'Waivers, and how many violations each covered' }),
  soak: soakSchema.exactOptional(),
} satisfies Shape<Scenario>);

/** The schema of a whole run. */
export const runSchema: z.ZodType<RunDocument> = z
  .strictObject({
    version: z.literal(RUN_VERSION),
    kind: z.literal('run'),
    madeWith: z.strictObject({ stalemate: z.string(), node: z.string() }),
    outcome,
    scenarios: z.array(scenario),
  } satisfies Shape<RunDocument>)
  .meta({
    id: 'Run',
    description: 'The result of a run: its page, JUnit, annotations and job summary are made from it',
  });
