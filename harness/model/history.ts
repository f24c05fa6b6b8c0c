/**
 * The history: all that happened in one run, as data. Properties are functions of it and of nothing else.
 *
 * Every record carries `at`, a tick that is unique and increasing over the whole history, and `timeMs`, run time since the run's
 * start. Objects are shared by reference in memory: two records naming the same revision hold the same frozen object.
 */
import type { Verb } from 'stalemate-apiserver/wire/request-info';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WatchEventType } from 'stalemate-apiserver/objects/watch-event';
import type { ActorId } from './actor.ts';
import type { Label } from './label.ts';
import type { ProbeResult } from './probe.ts';
import type { Reference } from './reference.ts';

export type { Verb } from 'stalemate-apiserver/wire/request-info';

/** A moment of the run. */
export interface Mark {
  readonly at: number;
  readonly timeMs: number;
}

/** What the actor was told. `info`: it was told nothing certain (lost response, reset, crash): the write may have happened. */
export type Outcome =
  | { readonly type: 'pending' }
  | {
      readonly type: 'ok';
      readonly code: number;
      /** The object answered, for single-object verbs. */
      readonly object?: KubeObject;
      /** The items answered, for lists. */
      readonly items?: readonly KubeObject[];
      /** `metadata.resourceVersion` of a list. */
      readonly listRevision?: number;
    }
  | {
      readonly type: 'fail';
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      /** How long the server asked to be left alone (`Retry-After`). */
      readonly retryAfterSeconds?: number;
    }
  | { readonly type: 'info'; readonly why: string };

/** One call of one actor. Watches are operations too: `ok` when the stream opened. */
export interface Operation {
  readonly id: number;
  readonly actor: ActorId;
  /** Without `!sent` / `!answered`. */
  readonly label: Label;
  readonly verb: Verb;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** API version in the path, `v1`. */
  readonly version: string;
  readonly subresource: string;
  readonly namespace: string;
  /** As in the path; for creates the name asked for, which is empty with generateName. */
  readonly name: string;
  /** Query parameters as sent. */
  readonly query: { readonly [key: string]: string };
  /** Parsed request body. JSON patches are arrays. */
  readonly body?: JsonValue;
  /** Content type of the body: `application/json`, `application/merge-patch+json`, … */
  readonly contentType?: string;
  readonly userAgent?: string;
  readonly invoked: Mark;
  /** When the server executed it; absent if it never received it. */
  readonly sent?: Mark;
  /** When the actor received the answer. */
  readonly answered?: Mark;
  readonly outcome: Outcome;
  /** Revisions that the server made for it, also when the answer was lost. Empty for reads, no-ops, refusals. */
  readonly committed: readonly number[];
  /** The fault that the gate applied to it, if any. */
  readonly fault?: string;
}

/** One version of one object: the authoritative chain, seen at the server. */
export interface Revision extends Mark {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The new content; for DELETED the last content. */
  readonly object: KubeObject;
  /** The content before; absent for ADDED. */
  readonly before?: KubeObject;
  /** The operation that made it. */
  readonly op: number;
  readonly actor: ActorId;
}

/** One watch event reaching one actor. */
export interface Delivery extends Mark {
  readonly actor: ActorId;
  /** Stream label with its number. */
  readonly stream: Label;
  /** Number of the event in its stream, from 0 at the start of contention; negative before. */
  readonly k: number;
  readonly type: WatchEventType;
  readonly resource: string;
  /** Absent for ERROR. */
  readonly object?: KubeObject;
  readonly revision: number;
  /** When the server made the event available; `at - availableAt` spans the lag. */
  readonly available: Mark;
}

/** The end of a watch stream as its actor saw it. */
export interface StreamEnd extends Mark {
  readonly actor: ActorId;
  readonly stream: Label;
  readonly resource: string;
  readonly why: 'closed' | 'expired' | 'aborted-by-actor' | 'crash' | 'server';
}

export type ProcessEventKind =
  | 'started' // start() returned or its promise resolved
  | 'start-failed' // start() threw
  | 'crashed' // by the schedule
  | 'exited' // process.exit or a promise of the target's own that ended it
  | 'unhandled' // unhandled rejection or uncaught exception
  | 'paused' // by the schedule: its process stands still
  | 'resumed'
  | 'stopped'; // by the harness, at the end

/** What a process target, with all that it started, takes of the system. */
export interface Footprint {
  readonly fileDescriptors: number;
  readonly threads: number;
  /** Resident. */
  readonly memoryKb: number;
}

/** One look at a process target from outside. */
export interface Reading {
  readonly pid: number;
  /** Absent where the system does not tell. */
  readonly footprint?: Footprint;
  /** Reconciles since it started, by result, where its metrics tell. */
  readonly reconciles?: { readonly [result: string]: number };
  /** Why metrics that were asked for told nothing. */
  readonly metricsFailed?: string;
}

/** A look at one life of a process target: before contention, when nobody disturbs it any more, when it first came to rest, at the end. */
export interface Measurement extends Mark, Reading {
  readonly actor: ActorId;
  readonly when: 'start' | 'healed' | 'at-rest' | 'end';
}

export interface ProcessEvent extends Mark {
  readonly actor: ActorId;
  readonly kind: ProcessEventKind;
  readonly detail: string;
}

/** `idle`: time that passes at rest with nothing to do, in reference runs only. */
export type Phase = 'setup' | 'contention' | 'heal' | 'settle' | 'idle' | 'end';

export interface PhaseMark extends Mark {
  readonly phase: Phase;
}

/** A deviation that the schedule made, where it took effect. */
export interface Decision extends Mark {
  readonly kind: 'preemption' | 'hold' | 'release' | 'fault';
  readonly label: Label;
  readonly detail: string;
}

/** How the run ended. */
export type Settlement =
  | { readonly result: 'quiescent'; readonly windowMs: number }
  | { readonly result: 'steps-exceeded'; readonly steps: number }
  | { readonly result: 'hot-instant'; readonly steps: number } // virtual time stands still while the target spins
  | { readonly result: 'time-exceeded'; readonly timeMs: number }
  | { readonly result: 'never-started'; readonly detail: string }
  | { readonly result: 'cut-short'; readonly detail: string }; // something beside the target did not answer any more

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
  /** Canonical names by uid: the object's own name, or `owner/role~n` for generated ones. */
  readonly names: { readonly [uid: string]: string };
  /** Labels of the schedule that never occurred. */
  readonly missed: readonly Label[];
  /** What the references measured about this target; absent in a reference run itself. */
  readonly reference?: Reference;
  /** Results of further runs that properties requested. */
  readonly probes: readonly ProbeResult[];
  /** The user's own log lines of the target, if captured. */
  readonly logs?: readonly (Mark & { readonly actor: ActorId; readonly line: string })[];
  /** Looks at a target that is a process; the last ones may be later than the end of this history. */
  readonly measurements?: readonly Measurement[];
  readonly extra?: JsonObject;
}

/** The first mark of a phase; Infinity when the run never got there. */
export function phaseStart(history: History, phase: Phase): number {
  return history.phases.find((mark) => mark.phase === phase)?.at ?? Number.POSITIVE_INFINITY;
}

/** Run time at which a phase began; Infinity when the run never got there. */
export function phaseStartMs(history: History, phase: Phase): number {
  return history.phases.find((mark) => mark.phase === phase)?.timeMs ?? Number.POSITIVE_INFINITY;
}

/** Whether the verb can change state. */
export function isWrite(verb: Verb): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

/** `409 Conflict`; in words where there was nobody to answer. */
export function failureText({ code, reason }: Extract<Outcome, { type: 'fail' }>): string {
  if (code === 0) return 'connection refused';
  return reason === '' ? String(code) : `${code} ${reason}`;
}

/** The last revision of every object that is still there, in order of first appearance. */
export function finalRevisions({ revisions }: Pick<History, 'revisions'>): readonly Revision[] {
  const last = new Map<string, Revision>();
  for (const revision of revisions) {
    if (revision.type === 'DELETED') last.delete(revision.uid);
    else last.set(revision.uid, revision);
  }
  return [...last.values()];
}
