/** The stored form of a history: as in memory, but objects are referenced by key in one table. */
import { z } from 'zod';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type {
  Decision,
  Delivery,
  Footprint,
  History,
  Mark,
  Measurement,
  Operation,
  Outcome,
  PhaseMark,
  ProcessEvent,
  Revision,
  Settlement,
  StreamEnd,
} from '../../model/history.ts';
import type { ExpectedState, ProbeResult } from '../../model/probe.ts';
import type { DoneWork, Reference, ReferenceChild, StatusEcho, WorkEcho } from '../../model/reference.ts';
import type { Declarations, DeclaredField } from '../../model/declarations.ts';
import { jsonObject, jsonValue, kubeObject, label, textMap, type Shape } from './common.ts';
import type { ObjectKey } from './object-table.ts';

export type StoredOutcome =
  | Exclude<Outcome, { type: 'ok' }>
  | (Omit<Extract<Outcome, { type: 'ok' }>, 'object' | 'items'> & {
      readonly object?: ObjectKey;
      readonly items?: readonly ObjectKey[];
    });
export type StoredOperation = Omit<Operation, 'outcome'> & { readonly outcome: StoredOutcome };
export type StoredRevision = Omit<Revision, 'object' | 'before'> & {
  readonly object: ObjectKey;
  readonly before?: ObjectKey;
};
export type StoredDelivery = Omit<Delivery, 'object'> & { readonly object?: ObjectKey };

export interface StoredHistory extends Omit<History, 'operations' | 'revisions' | 'deliveries'> {
  readonly kind: 'history';
  readonly objects: { readonly [key: ObjectKey]: KubeObject };
  readonly operations: readonly StoredOperation[];
  readonly revisions: readonly StoredRevision[];
  readonly deliveries: readonly StoredDelivery[];
}

const key = z.string().meta({ id: 'ObjectKey', description: 'Key of an object in "objects": its revision' });
const at = { at: z.number(), timeMs: z.number() };
const mark = z.strictObject(at satisfies Shape<Mark>).meta({ id: 'Mark', description: 'A moment: tick and run time' });

const outcome: z.ZodType<StoredOutcome> = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('pending') }),
    z.strictObject({
      type: z.literal('ok'),
      code: z.int(),
      object: key.exactOptional(),
      items: z.array(key).exactOptional(),
      listRevision: z.number().exactOptional(),
    } satisfies Shape<Extract<StoredOutcome, { type: 'ok' }>>),
    z.strictObject({
      type: z.literal('fail'),
      code: z.int(),
      reason: z.string(),
      message: z.string(),
      retryAfterSeconds: z.number().exactOptional(),
    } satisfies Shape<Extract<StoredOutcome, { type: 'fail' }>>),
    z.strictObject({ type: z.literal('info'), why: z.string() } satisfies Shape<
      Extract<StoredOutcome, { type: 'info' }>
    >),
  ])
  .meta({ id: 'Outcome', description: 'The response as the actor saw it; info: outcome unknown' });

const operation: z.ZodType<StoredOperation> = z
  .strictObject({
    id: z.int(),
    actor: z.string(),
    label,
    verb: z.enum(['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']),
    resource: z.string(),
    version: z.string(),
    subresource: z.string(),
    namespace: z.string(),
    name: z.string(),
    query: textMap,
    body: jsonValue.exactOptional(),
    contentType: z.string().exactOptional(),
    userAgent: z.string().exactOptional(),
    invoked: mark,
    sent: mark.exactOptional(),
    answered: mark.exactOptional(),
    outcome,
    committed: z.array(z.number()),
    fault: z.string().exactOptional(),
  } satisfies Shape<StoredOperation>)
  .meta({ id: 'Operation', description: 'One call of one actor' });

const revision: z.ZodType<StoredRevision> = z
  .strictObject({
    revision: z.number(),
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED']),
    resource: z.string(),
    namespace: z.string(),
    name: z.string(),
    uid: z.string(),
    object: key,
    before: key.exactOptional(),
    op: z.int(),
    actor: z.string(),
    ...at,
  } satisfies Shape<StoredRevision>)
  .meta({ id: 'Revision', description: 'One version of one object, as the server stored it' });

const delivery: z.ZodType<StoredDelivery> = z
  .strictObject({
    actor: z.string(),
    stream: label,
    k: z.int(),
    type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
    resource: z.string(),
    object: key.exactOptional(),
    revision: z.number(),
    available: mark,
    ...at,
  } satisfies Shape<StoredDelivery>)
  .meta({ id: 'Delivery', description: 'One watch event reaching one actor' });

const streamEnd: z.ZodType<StreamEnd> = z.strictObject({
  actor: z.string(),
  stream: label,
  resource: z.string(),
  why: z.enum(['closed', 'expired', 'aborted-by-actor', 'crash', 'server']),
  ...at,
} satisfies Shape<StreamEnd>);

const processEvent: z.ZodType<ProcessEvent> = z.strictObject({
  actor: z.string(),
  kind: z.enum(['started', 'start-failed', 'crashed', 'exited', 'unhandled', 'paused', 'resumed', 'stopped']),
  detail: z.string(),
  ...at,
} satisfies Shape<ProcessEvent>);

const decision: z.ZodType<Decision> = z.strictObject({
  kind: z.enum(['preemption', 'hold', 'release', 'fault']),
  label,
  detail: z.string(),
  ...at,
} satisfies Shape<Decision>);

const phase: z.ZodType<PhaseMark> = z.strictObject({
  phase: z.enum(['setup', 'contention', 'heal', 'settle', 'idle', 'end']),
  ...at,
} satisfies Shape<PhaseMark>);

const settlement: z.ZodType<Settlement> = z.discriminatedUnion('result', [
  z.strictObject({ result: z.literal('quiescent'), windowMs: z.number() }),
  z.strictObject({ result: z.literal('steps-exceeded'), steps: z.number() }),
  z.strictObject({ result: z.literal('hot-instant'), steps: z.number() }),
  z.strictObject({ result: z.literal('time-exceeded'), timeMs: z.number() }),
  z.strictObject({ result: z.literal('never-started'), detail: z.string() }),
  z.strictObject({ result: z.literal('cut-short'), detail: z.string() }),
]);

const declaredFields = z.array(z.strictObject({ kind: z.string(), field: z.string() } satisfies Shape<DeclaredField>));

const leavesByRole = z.record(z.string(), z.array(z.string()));

const reference: z.ZodType<Reference> = z
  .strictObject({
    runs: z.int(),
    ownedLeaves: leavesByRole,
    volatileLeaves: leavesByRole,
    removedLeaves: leavesByRole,
    children: z.array(
      z.strictObject({
        owner: z.string(),
        role: z.string(),
        maxBySpec: z.record(z.string(), z.number()),
        surges: z.boolean(),
      } satisfies Shape<ReferenceChild>),
    ),
    deletes: z.array(z.string()),
    updates: z.array(z.string()).exactOptional(),
    wholeConditions: z.array(z.string()).exactOptional(),
    reads: z.array(z.string()),
    staleLists: z.array(z.string()),
    locks: z.array(z.string()),
    idle: z.strictObject({ requestsPerMinute: z.number(), writesPerMinute: z.number() }),
    burstMax: z.number(),
    suspectSettleMs: z.number().exactOptional(),
    backOffMs: z.number().exactOptional(),
    aloneMs: z.number().exactOptional(),
    drawnNames: z
      .record(z.string(), z.strictObject({ kept: z.array(z.string()), stems: z.array(z.string()) }))
      .exactOptional(),
    healthySpecs: z.array(z.string()),
    echoes: z
      .record(z.string(), z.array(z.strictObject({ status: z.string(), spec: z.string() } satisfies Shape<StatusEcho>)))
      .exactOptional(),
    workEchoes: z
      .record(
        z.string(),
        z.strictObject({
          echoes: z.array(
            z.strictObject({ child: z.string(), leaf: z.string(), spec: z.string() } satisfies Shape<WorkEcho>),
          ),
          said: z.array(z.string()),
        } satisfies Shape<DoneWork>),
      )
      .exactOptional(),
    declared: z
      .strictObject({ coOwned: declaredFields, volatile: declaredFields } satisfies Shape<Declarations>)
      .exactOptional()
      .meta({ description: 'Fields that the user declared' }),
  } satisfies Shape<Reference>)
  .meta({ id: 'Reference', description: 'What unperturbed runs measured about the target' });

const expectedState: z.ZodType<ExpectedState> = z.strictObject({
  objects: z.record(z.string(), kubeObject),
} satisfies Shape<ExpectedState>);

const otherRun = {
  settled: z.boolean(),
  final: z.array(kubeObject),
  names: textMap,
  expected: z.array(expectedState),
};

type Probe<P extends ProbeResult['probe']> = Extract<ProbeResult, { probe: P }>;

const probe: z.ZodType<ProbeResult> = z
  .discriminatedUnion('probe', [
    z.strictObject({
      probe: z.literal('expected-state'),
      outcomes: z.array(expectedState),
      settled: z.boolean(),
    } satisfies Shape<Probe<'expected-state'>>),
    z.strictObject({
      probe: z.literal('other-copies'),
      outcomes: z.array(expectedState),
      inOrder: z.array(expectedState).exactOptional(),
      withoutReplacements: expectedState.exactOptional(),
    } satisfies Shape<Probe<'other-copies'>>),
    z.strictObject({
      probe: z.literal('fresh-incarnation'),
      writes: z.array(z.string()),
      paths: z.array(z.array(z.string())).exactOptional(),
      settled: z.boolean(),
    } satisfies Shape<Probe<'fresh-incarnation'>>),
    z.strictObject({ probe: z.literal('undisturbed'), ...otherRun } satisfies Shape<Probe<'undisturbed'>>),
    z.strictObject({ probe: z.literal('step-by-step'), ...otherRun } satisfies Shape<Probe<'step-by-step'>>),
    z.strictObject({
      probe: z.literal('known-undisturbed'),
      kinds: z.array(z.string()),
    } satisfies Shape<Probe<'known-undisturbed'>>),
    z.strictObject({
      probe: z.literal('known-violated'),
      kinds: z.array(z.string()),
    } satisfies Shape<Probe<'known-violated'>>),
    z.strictObject({ probe: z.literal('without-crashes'), ...otherRun } satisfies Shape<Probe<'without-crashes'>>),
    z.strictObject({
      probe: z.literal('drift'),
      role: z.string(),
      leaves: z.array(z.string()),
      value: jsonValue,
      reverted: z.array(z.string()),
      revertedLater: z.array(z.string()).exactOptional(),
    } satisfies Shape<Probe<'drift'>>),
    z.strictObject({
      probe: z.literal('withheld-echo'),
      writesAtRest: z.number(),
      windowMs: z.number(),
    } satisfies Shape<Probe<'withheld-echo'>>),
    z.strictObject({
      probe: z.literal('left-alone'),
      ms: z.number(),
      final: z.array(kubeObject),
      names: textMap,
      changedMs: z.number().exactOptional(),
    } satisfies Shape<Probe<'left-alone'>>),
    z.strictObject({
      probe: z.literal('extended-settle'),
      windowMs: z.number(),
      quiescent: z.boolean(),
      final: z.array(kubeObject),
      names: textMap,
      writesAtRest: z.number(),
      unchangedMs: z.number().exactOptional(),
      laterHalf: z
        .strictObject({
          requests: z.number(),
          rounds: z.number().exactOptional(),
          attempts: z.number().exactOptional(),
          spanMs: z.number(),
          goesOn: z.boolean(),
          ordinary: z.literal(true).exactOptional(),
        })
        .exactOptional(),
    } satisfies Shape<Probe<'extended-settle'>>),
  ])
  .meta({ id: 'ProbeResult', description: 'Evidence gathered by further runs' });

const measurement: z.ZodType<Measurement> = z
  .strictObject({
    actor: z.string(),
    when: z.enum(['start', 'healed', 'at-rest', 'end']),
    pid: z.int(),
    footprint: z
      .strictObject({ fileDescriptors: z.int(), threads: z.int(), memoryKb: z.int() } satisfies Shape<Footprint>)
      .exactOptional(),
    reconciles: z.record(z.string(), z.number()).exactOptional(),
    metricsFailed: z.string().exactOptional(),
    ...at,
  } satisfies Shape<Measurement>)
  .meta({ id: 'Measurement', description: 'A measurement of a target that is a process' });

/** The parts that are also stored for a neighbouring run. */
export const historyParts: {
  readonly [part in 'settlement' | 'missed' | 'phases' | 'operations' | 'revisions' | 'names']: z.ZodType<
    StoredHistory[part]
  >;
} = {
  settlement: settlement,
  missed: z.array(label),
  phases: z.array(phase),
  operations: z.array(operation),
  revisions: z.array(revision),
  names: textMap,
};

export const storedHistory: z.ZodType<StoredHistory> = z
  .strictObject({
    version: z.literal(1),
    kind: z.literal('history'),
    settlement: historyParts.settlement,
    steps: z.number(),
    missed: historyParts.missed,
    phases: historyParts.phases,
    decisions: z.array(decision),
    operations: historyParts.operations,
    revisions: historyParts.revisions,
    deliveries: z.array(delivery),
    streamEnds: z.array(streamEnd),
    processes: z.array(processEvent),
    logs: z.array(z.strictObject({ actor: z.string(), line: z.string(), ...at })).exactOptional(),
    names: historyParts.names,
    probes: z.array(probe),
    reference: reference.exactOptional(),
    measurements: z.array(measurement).exactOptional(),
    extra: jsonObject.exactOptional(),
    objects: z.record(z.string(), jsonObject as z.ZodType<KubeObject>),
  } satisfies Shape<StoredHistory>)
  .meta({ id: 'History', description: 'All that happened in one run' });
