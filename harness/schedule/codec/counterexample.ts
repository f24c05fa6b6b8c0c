/** The stored form of a counterexample: everything needed to run a failure again. */
import { z } from 'zod';
import type {
  CommandTarget,
  Counterexample,
  CounterexampleTarget,
  ModuleTarget,
  ProjectManifests,
  RunSettings,
  StoredProgram,
} from '../../model/counterexample.ts';
import { CLUSTERS, PARTS } from '../../model/cluster.ts';
import { CONFIRM_ON, type Confirmation, type Reproduced } from '../../model/confirmation.ts';
import { answersSchema } from './answers.ts';
import { cause, kubeObject, signature, type Shape } from './common.ts';
import { decode, encode, type Format } from './format.ts';
import { SCHEDULE } from './schedule.ts';
import { WORKLOAD } from './workload.ts';

export const runSettings: z.ZodType<RunSettings> = z
  .strictObject({
    seed: z.int(),
    stepsMax: z.int().min(1),
    settleWindowMs: z.number().min(0),
    settleStepsMax: z.int().min(0),
    garbageCollection: z.boolean(),
    namespaceController: z.boolean(),
    workloads: z.enum(['auto', 'off', 'fast', 'slow']).exactOptional(),
    workloadsExcept: z.array(z.string()).exactOptional(),
    with: z.array(z.enum(PARTS)).exactOptional(),
    replicasMax: z.union([z.literal(1), z.literal(2)]),
    serialised: z.boolean().exactOptional(),
    effects: z.literal(true).exactOptional(),
    answers: answersSchema.exactOptional(),
  } satisfies Shape<RunSettings>)
  .meta({ id: 'RunSettings' });

const DIRECTORY = 'relative to the working directory, forward slashes';

const command = z
  .array(z.string())
  .min(1)
  .meta({ description: 'Program or image, and arguments, placeholders as they were given' });
const directory = z
  .string()
  .min(1)
  .meta({ description: `Where it is started, ${DIRECTORY}` });
const started = {
  ready: z.string().exactOptional().meta({ description: 'When it counts as started; default quiet' }),
  readyWithinMs: z.number().min(1).exactOptional(),
};

const storedProgram: z.ZodType<StoredProgram> = z.strictObject({
  command,
  directory,
  ...started,
} satisfies Shape<StoredProgram>);

export const counterexampleTarget: z.ZodType<CounterexampleTarget> = z.union([
  z.strictObject({
    module: z
      .string()
      .min(1)
      .meta({ description: `Module path ${DIRECTORY}` }),
    transport: z.enum(['http-library', 'dispatcher']),
  } satisfies Shape<ModuleTarget>),
  z.strictObject({
    command,
    directory,
    programs: z
      .record(z.string(), storedProgram)
      .exactOptional()
      .meta({ description: 'What runs beside it, by name: part of the target' }),
    network: z.enum(['none', 'host']).exactOptional().meta({ description: 'What it can reach; default none' }),
    ...started,
    graceMs: z.number().min(0).exactOptional(),
    metrics: z.string().exactOptional().meta({ description: 'Its Prometheus endpoint, for its count of reconciles' }),
    time: z.enum(['real', 'virtual']).exactOptional().meta({ description: 'How time passes for it; default real' }),
    inCluster: z.boolean().exactOptional().meta({ description: 'It is an image, and runs as a pod of a kind cluster' }),
  } satisfies Shape<CommandTarget>),
]);

const project: z.ZodType<ProjectManifests> = z
  .strictObject({
    objects: z.array(kubeObject),
    authorization: z.enum(['rbac', 'allow-all']),
    workload: z.string().min(1).exactOptional(),
  } satisfies Shape<ProjectManifests>)
  .meta({ description: 'What the project ships in addition to its CRDs, and which Deployment is the target' });

export const confirmation: z.ZodType<Confirmation> = z
  .strictObject({
    cluster: z.enum(CONFIRM_ON),
    server: z.string().min(1),
    reproduced: z.strictObject({ k: z.int(), n: z.int() } satisfies Shape<Reproduced>),
  } satisfies Shape<Confirmation>)
  .meta({
    id: 'Confirmation',
    description: 'Result on a real API server; all before it depends on the seed alone',
  });

const schema: z.ZodType<Counterexample> = z
  .strictObject({
    version: z.literal(1),
    kind: z.literal('counterexample'),
    signature,
    cause: cause.exactOptional(),
    sentence: z.string(),
    target: counterexampleTarget,
    namespace: z.string().min(1),
    cluster: z
      .enum(CLUSTERS)
      .exactOptional()
      .meta({ description: 'What answered the API; default the embedded server' }),
    crds: z.array(kubeObject),
    project: project.exactOptional(),
    workload: WORKLOAD.schema,
    schedule: SCHEDULE.schema,
    config: runSettings,
    foundWith: z.strictObject({ stalemate: z.string(), node: z.string() }),
    confirmed: confirmation.exactOptional(),
  } satisfies Shape<Counterexample>)
  .meta({
    id: 'Counterexample',
    description: 'Workload, schedule and signature of a failure, and all it takes to run it again',
  });

export const COUNTEREXAMPLE: Format<Counterexample> = {
  kind: 'counterexample',
  version: 1,
  schema,
  upgrades: [],
  parts: { workload: WORKLOAD, schedule: SCHEDULE },
};

/** Encodes the counterexample as versioned JSON. */
export function encodeCounterexample(counterexample: Counterexample): string {
  return encode(COUNTEREXAMPLE, counterexample);
}

/** @throws {FORMAT_INVALID} {FORMAT_TOO_NEW} */
export function decodeCounterexample(text: string, source: string): Counterexample {
  return decode(COUNTEREXAMPLE, text, source);
}
