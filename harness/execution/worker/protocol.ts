/** What the supervisor and its worker say to each other. Everything here survives a structured clone. */
import type { MessagePort } from 'node:worker_threads';
import type { KubeObject, OwnerReference } from 'stalemate-apiserver/objects/object';
import type { Measures } from '../../model/baseline.ts';
import type { Violation } from '../../model/check-result.ts';
import type { HarnessErrorCode } from '../../model/errors.ts';
import type { InconclusiveRun } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { Reference } from '../../model/reference.ts';
import type { Reanchored, Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import type { Aim } from '../../schedule/workload/writer.ts';
import type { Found, Seen } from '../search/found.ts';
import type { SearchOrder } from '../search/search.ts';
import type { SearchTally } from '../search/tally.ts';
import type { Subject } from '../subject.ts';

/** The moments of its plan count from when the job is given. */
export interface SearchJob extends SearchOrder {
  readonly job: 'search';
  readonly subject: Subject;
  /** Announce every trial before it runs: used after a worker was lost, to find out which trial did it. */
  readonly careful: boolean;
}

export interface ReplayJob {
  readonly job: 'replay';
  readonly subject: Subject;
  readonly trial: Trial;
  /** `signatureText` of the violation to look for. */
  readonly signature: string;
  readonly property: string;
  readonly times: number;
  /** Where it comes back: it is shrunk and proved as well. */
  readonly shrink: boolean;
  /** Real time, ms, after which what is under way is cut short; `null` for as long as it takes. */
  readonly timeMs: number | null;
}

/** Takes the references, then runs the trials that it is sent, one at a time, until it is ended. */
export interface LabJob {
  readonly job: 'lab';
  readonly subject: Subject;
}

/** Replays entries of a corpus, one after the other, on what was measured once. */
export interface RevisitJob {
  readonly job: 'revisit';
  readonly subject: Subject;
  readonly entries: readonly (Pick<ReplayJob, 'trial' | 'signature' | 'property'> & { readonly name: string })[];
  readonly times: number;
  /** Real time left, ms: no entry is begun after that. */
  readonly timeMs: number;
}

/** Runs groups of objects undisturbed, one after the other, to see what the target does with each. */
export interface TryJob {
  readonly job: 'try';
  readonly subject: Subject;
  readonly groups: readonly SampleGroup[];
  /** Real time for one group, ms: a run is cut short there. */
  readonly runMs: number;
  /** Real time for all of them, ms: no run begins after that. */
  readonly timeMs: number;
}

/** Objects that are applied together. */
export interface SampleGroup {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

export type Job = SearchJob | ReplayJob | RevisitJob | LabJob | TryJob;

/** What a lab sends to its worker; the next one only after the answer. */
export interface LabRequest {
  readonly trial: Trial;
  /** Names of the properties to judge. */
  readonly properties: readonly string[];
}

/** Shared memory between the two, as Int32 slots. */
export const SLOT = {
  heartbeat: 0,
  stop: 1,
  /** Grows by one whenever the embedded server is entered, and when it is left: while it is odd, the worker is inside. */
  server: 2,
} as const;
export const SLOTS = 3;

export interface WorkerData {
  readonly job: Job;
  readonly shared: SharedArrayBuffer;
  /** By which it is asked to close its sockets. */
  readonly closing: MessagePort;
}

/** What the runs of one stored trial came to. */
export interface Replayed {
  readonly k: number;
  readonly n: number;
  readonly history: History;
  readonly missed: readonly string[];
  readonly violations: readonly Violation[];
  /** Why the property had no opinion on a run, if that happened. */
  readonly inconclusive: string | null;
  /** The first difference between two runs of the same schedule, if any. */
  readonly diverged: string | null;
  /** The first run that did not reproduce it, if another did. */
  readonly other: History | null;
  /** The real server that it ran on, `kube-apiserver 1.36.3`; `null` for the embedded one. */
  readonly server: string | null;
  /** What had to be moved for the failure to come back. */
  readonly reanchored: Reanchored | null;
  /** The finding as it was shrunk and proved, where that was asked for. */
  readonly found?: Found;
}

export type FromWorker =
  | { readonly say: 'phase'; readonly phase: string }
  /** An undisturbed run begins. */
  | { readonly say: 'undisturbed'; readonly run: number }
  | { readonly say: 'trial'; readonly run: number; readonly trial: Trial }
  | { readonly say: 'measured'; readonly measures: Measures }
  | { readonly say: 'tally'; readonly tally: SearchTally }
  /** A violation is about to be shrunk and proved; that has ended. */
  | ({ readonly say: 'seen' } & Seen)
  | { readonly say: 'settled' }
  | { readonly say: 'found'; readonly found: Found }
  | { readonly say: 'inconclusive'; readonly run: InconclusiveRun }
  | ({ readonly say: 'replayed' } & Replayed)
  | {
      /** What an entry of a corpus came to, or why it could not be run. */
      readonly say: 'revisited';
      readonly name: string;
      readonly replayed: Replayed | null;
      readonly problem: string | null;
    }
  | { readonly say: 'revisited-all' }
  /** What a group of objects led to. */
  | { readonly say: 'tried'; readonly name: string; readonly history: History }
  | { readonly say: 'tried-all' }
  | {
      /** A lab takes trials now, aimed with what its references measured. */
      readonly say: 'ready';
      readonly reference: Reference;
      readonly aim: Aim;
      readonly base: Workload;
      readonly bystander: OwnerReference;
    }
  | {
      readonly say: 'ran';
      /** The trial's own schedule, or what its search amounted to. */
      readonly schedule: Schedule;
      /** Without the reference, which is the same for all trials. */
      readonly history: History;
      readonly violations: readonly Violation[];
      readonly inconclusive: ReadonlyMap<string, string>;
    }
  | { readonly say: 'done'; readonly tally: SearchTally; readonly why: 'budget' | 'recycle' }
  | {
      readonly say: 'error';
      readonly code: HarnessErrorCode | null;
      readonly message: string;
      readonly stack: string;
      /** What the target printed last, where the message shows that. */
      readonly printed?: readonly string[];
    };
