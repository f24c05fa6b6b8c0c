/**
 * The history: everything that happened in one run, as data. Properties are functions of the history alone.
 *
 * Every record has `at`, a tick that is unique and increasing over the whole history, and `timeMs`, the run time since the start of the
 * run. Objects are shared by reference in memory: two records of the same revision hold the same frozen object.
 */
import type { Verb } from 'stalemate-apiserver/wire/request-info';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEventType } from 'stalemate-apiserver/objects/watch-event';
import type { ActorId } from './actor.ts';
import type { Label } from './label.ts';
import type { ProbeResult } from './probe.ts';
import type { Reference } from './reference.ts';

export type { Verb } from 'stalemate-apiserver/wire/request-info';

/** A point in time of the run. */
export interface Mark {
  readonly at: number;
  readonly timeMs: number;
}

/** The outcome as the actor received it. `info`: unknown (lost response, reset, crash); a write may have been committed. */
export type Outcome =
  | { readonly type: 'pending' }
  | {
      readonly type: 'ok';
      readonly code: number;
      /** The object in the answer, for single-object verbs. */
      readonly object?: KubeObject;
      /** The items in the answer, for lists. */
      readonly items?: readonly KubeObject[];
      /** `metadata.resourceVersion` of a list. */
      readonly listRevision?: number;
    }
  | {
      readonly type: 'fail';
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      /** The value of `Retry-After`. */
      readonly retryAfterSeconds?: number;
    }
  | { readonly type: 'info'; readonly why: string };

/** One call of one actor. Watches are operations too, with outcome `ok` once the stream is open. */
export interface Operation {
  readonly id: number;
  readonly actor: ActorId;
  /** Without `!sent` / `!answered`. */
  readonly label: Label;
  readonly verb: Verb;
  /** The resource with its group: `pods`, `deployments.apps`. */
  readonly resource: string;
  /** The API version in the path, `v1`. */
  readonly version: string;
  readonly subresource: string;
  readonly namespace: string;
  /** The name in the path; for creates the requested name, which is empty with generateName. */
  readonly name: string;
  /** Query parameters as sent. */
  readonly query: { readonly [key: string]: string };
  /** Parsed request body. JSON patches are arrays. */
  readonly body?: JsonValue;
  /** Content type of the body: `application/json`, `application/merge-patch+json`, … */
  readonly contentType?: string;
  readonly userAgent?: string;
  readonly invoked: Mark;
  /** When the server executed the request; absent if the server never received it. */
  readonly sent?: Mark;
  /** When the actor received the answer. */
  readonly answered?: Mark;
  readonly outcome: Outcome;
  /** Revisions that the server created for the request, even if the answer was lost. Empty for reads, no-ops and rejected requests. */
  readonly committed: readonly number[];
  /** The fault that the gate applied to the request, if any. */
  readonly fault?: string;
}

/** One revision of one object, as the server committed it. The revisions are the authoritative record. */
export interface Revision extends Mark {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The new content; for DELETED the last content. */
  readonly object: KubeObject;
  /** The previous content; absent for ADDED. */
  readonly before?: KubeObject;
  /** The operation that caused it. */
  readonly op: number;
  readonly actor: ActorId;
}

/** One watch event delivered to one actor. */
export interface Delivery extends Mark {
  readonly actor: ActorId;
  /** The stream's label with its number. */
  readonly stream: Label;
  /** Number of the event in its stream, from 0 at the start of contention; negative before. */
  readonly k: number;
  readonly type: WatchEventType;
  readonly resource: string;
  /** Absent for ERROR. */
  readonly object?: KubeObject;
  readonly revision: number;
  /** When the server made the event available; `at - available.at` is the lag. */
  readonly available: Mark;
}

/** The end of a watch stream as its actor observed it. */
export interface StreamEnd extends Mark {
  readonly actor: ActorId;
  readonly stream: Label;
  readonly resource: string;
  readonly why: 'closed' | 'expired' | 'aborted-by-actor' | 'crash' | 'server';
}

export type ProcessEventKind =
  | 'started' // start() returned or its promise resolved
  | 'start-failed' // start() threw or its promise rejected
  | 'crashed' // crashed by the schedule
  | 'exited' // ended by itself: `process.exit`, or the end of its process or pod
  | 'unhandled' // unhandled rejection or uncaught exception
  | 'paused' // paused by the schedule (SIGSTOP)
  | 'resumed'
  | 'stopped'; // stopped by the harness, at the end

/** The resource use of a process target, including its child processes. */
export interface Footprint {
  readonly fileDescriptors: number;
  readonly threads: number;
  /** Resident memory. */
  readonly memoryKb: number;
}

/** One measurement of a process target from outside. */
export interface Reading {
  readonly pid: number;
  /** Absent if the system does not provide it. */
  readonly footprint?: Footprint;
  /** Reconciles since the start, by result, if its metrics count them. */
  readonly reconciles?: { readonly [result: string]: number };
  /** Why the requested metrics could not be read. */
  readonly metricsFailed?: string;
}

/**
 * A measurement of one incarnation of a process target: before contention, after the last disturbance, when it first came to rest, or at
 * the end.
 */
export interface Measurement extends Mark, Reading {
  readonly actor: ActorId;
  readonly when: 'start' | 'healed' | 'at-rest' | 'end';
}

export interface ProcessEvent extends Mark {
  readonly actor: ActorId;
  readonly kind: ProcessEventKind;
  readonly detail: string;
}

/** `idle`: a period at rest without disturbance, in reference runs only. */
export type Phase = 'setup' | 'contention' | 'heal' | 'settle' | 'idle' | 'end';

export interface PhaseMark extends Mark {
  readonly phase: Phase;
}

/** A deviation of the schedule, recorded when it took effect. */
export interface Decision extends Mark {
  readonly kind: 'preemption' | 'hold' | 'release' | 'fault';
  readonly label: Label;
  readonly detail: string;
}

/** How the run ended. */
export type Settlement =
  | { readonly result: 'quiescent'; readonly windowMs: number }
  | { readonly result: 'steps-exceeded'; readonly steps: number }
  | { readonly result: 'hot-instant'; readonly steps: number } // virtual time does not advance because the target spins
  | { readonly result: 'time-exceeded'; readonly timeMs: number }
  | { readonly result: 'never-started'; readonly detail: string }
  | { readonly result: 'cut-short'; readonly detail: string }; // a component other than the target stopped responding

export interface History {
  readonly version: 1;
  readonly phases: readonly PhaseMark[];
  readonly operations: readonly Operation[];
  readonly revisions: readonly Revision[];
  readonly deliveries: readonly Delivery[];
  readonly streamEnds: readonly StreamEnd[];
  readonly processes: readonly ProcessEvent[];
  readonly decisions: readonly Decision[];
  readonly settlement: Settlement;
  /** Gate items executed since contention began. */
  readonly steps: number;
  /**
   * Canonical names by uid: the object's own name; `owner/role~n` for generated names; `namespace/name` for names that the target uses in
   * several namespaces.
   */
  readonly names: { readonly [uid: string]: string };
  /** Labels of the schedule that never occurred. */
  readonly missed: readonly Label[];
  /** The reference measurements of this target; absent in a reference run itself. */
  readonly reference?: Reference;
  /** Results of the probes that properties requested. */
  readonly probes: readonly ProbeResult[];
  /** The target's log lines, if captured. */
  readonly logs?: readonly (Mark & { readonly actor: ActorId; readonly line: string })[];
  /** Measurements of a process target; the last ones may be later than the end of this history. */
  readonly measurements?: readonly Measurement[];
  readonly extra?: JsonObject;
}

/** Returns the canonical name by which labels and operations of programs refer to an object: the one without a namespace. */
export function nameInLabels(
  { names }: Pick<History, 'names'>,
  { uid, namespace, name }: { readonly uid: string; readonly namespace: string; readonly name: string },
): string {
  const canonical = names[uid] ?? name;
  return canonical === `${namespace}/${name}` ? name : canonical;
}

/** Returns the tick at which a phase began; Infinity if the run never got there. */
export function phaseStart(history: History, phase: Phase): number {
  return history.phases.find((mark) => mark.phase === phase)?.at ?? Number.POSITIVE_INFINITY;
}

/** Returns the run time, in ms, at which a phase began; Infinity if the run never got there. */
export function phaseStartMs(history: History, phase: Phase): number {
  return history.phases.find((mark) => mark.phase === phase)?.timeMs ?? Number.POSITIVE_INFINITY;
}

/** Reports whether the verb can change state. */
export function isWrite(verb: Verb): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

/** Returns `409 Conflict`, or a description if no server answered. */
export function failureText({ code, reason }: Extract<Outcome, { type: 'fail' }>): string {
  if (code === 0) return 'connection refused';
  return reason === '' ? String(code) : `${code} ${reason}`;
}

/** Returns the last revision of every object that still exists, in order of first appearance. */
export function finalRevisions({ revisions }: Pick<History, 'revisions'>): readonly Revision[] {
  const last = new Map<string, Revision>();
  for (const revision of revisions) {
    if (revision.type === 'DELETED') last.delete(revision.uid);
    else last.set(revision.uid, revision);
  }
  return [...last.values()];
}
