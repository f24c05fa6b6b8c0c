/** The messages between the supervisor and its worker. All messages can be structured-cloned. */
import type { MessagePort } from 'node:worker_threads';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { Measures } from '../../model/baseline.ts';
import type { Violation } from '../../model/check-result.ts';
import type { HarnessErrorCode } from '../../model/errors.ts';
import type { InconclusiveRun } from '../../model/finding.ts';
import type { History } from '../../model/history.ts';
import type { Reference } from '../../model/reference.ts';
import type { Reanchored, Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import type { StrategyHints } from '../../schedule/strategies/strategy.ts';
import type { Aim, Bystander } from '../../schedule/workload/writer.ts';
import type { Found, Seen } from '../search/found.ts';
import type { SearchOrder } from '../search/search.ts';
import type { SearchTally } from '../search/tally.ts';
import type { Subject } from '../subject.ts';

/** The job of a search. The times of its plan are relative to the moment when the job is sent. */
export interface SearchJob extends SearchOrder {
  readonly job: 'search';
  readonly subject: Subject;
  /** Whether to announce every trial before it runs: used after a worker was lost, to find the trial that caused the loss. */
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
  /** Whether to shrink and reproduce the finding if it fails again. */
  readonly shrink: boolean;
  /** Runs in progress are cut short after this real time, in ms; `null` for no limit. */
  readonly timeMs: number | null;
}

/** The job of a lab: makes the references, then runs the trials that it receives, one at a time, until it is ended. */
export interface LabJob {
  readonly job: 'lab';
  readonly subject: Subject;
}

/** The job of a corpus: replays its entries one after the other, after running the references once. */
export interface RevisitJob {
  readonly job: 'revisit';
  readonly subject: Subject;
  readonly entries: readonly (Pick<ReplayJob, 'trial' | 'signature' | 'property'> & { readonly name: string })[];
  readonly times: number;
  /** Whether to make all runs of an entry, to count how many fail; otherwise the first failure ends its runs. */
  readonly counts: boolean;
  /** The moment (`realMoment`), in ms, after which no entry is begun, and runs in progress are cut short. */
  readonly until: number;
  /** An entry gets an equal share of the remaining real time, but at least this, in ms. */
  readonly leastMs: number;
}

/** The job of trying samples: runs groups of objects undisturbed, one after the other, to see how the target reacts to each. */
export interface TryJob {
  readonly job: 'try';
  readonly subject: Subject;
  readonly groups: readonly SampleGroup[];
  /** Limit for one group, in ms of real time, after which its run is cut short. */
  readonly runMs: number;
  /** Limit for all groups, in ms of real time, after which no run begins. */
  readonly timeMs: number;
}

/** Objects that are applied together. */
export interface SampleGroup {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

export type Job = SearchJob | ReplayJob | RevisitJob | LabJob | TryJob;

/** A lab's request to its worker; the next one is sent only after the answer. */
export interface LabRequest {
  readonly trial: Trial;
  /** The names of the properties to judge. */
  readonly properties: readonly string[];
}

/** The slots of the shared Int32Array of the supervisor and its worker. */
export const SLOT = {
  heartbeat: 0,
  stop: 1,
  /** Incremented whenever the embedded server begins or finishes a request: while it is odd, the worker is in the server. */
  server: 2,
} as const;
export const SLOTS = 3;

export interface WorkerData {
  readonly job: Job;
  readonly shared: SharedArrayBuffer;
  /** The port on which the worker receives the request to close its sockets. */
  readonly closing: MessagePort;
}

/** The result of replaying one stored trial. */
export interface Replayed {
  readonly k: number;
  readonly n: number;
  readonly history: History;
  readonly missed: readonly string[];
  readonly violations: readonly Violation[];
  /** Why the property was inconclusive for a run; `null` if it never was. */
  readonly inconclusive: string | null;
  /** The first difference between two runs of the same schedule; `null` if there is none. */
  readonly diverged: string | null;
  /** The first run that did not reproduce the finding, if another run did; otherwise `null`. */
  readonly other: History | null;
  /** The real server of the runs, such as `kube-apiserver 1.36.3`; `null` for the embedded one. */
  readonly server: string | null;
  /** The labels that were moved for the failure to reproduce; `null` if none were. */
  readonly reanchored: Reanchored | null;
  /** The shrunk and reproduced finding, if requested. */
  readonly found?: Found;
}

export type FromWorker =
  | { readonly say: 'phase'; readonly phase: string }
  /** An undisturbed run begins. */
  | { readonly say: 'undisturbed'; readonly run: number }
  | { readonly say: 'trial'; readonly run: number; readonly trial: Trial }
  | { readonly say: 'measured'; readonly measures: Measures }
  | { readonly say: 'tally'; readonly tally: SearchTally }
  /** A violation is about to be shrunk and reproduced; `settled` follows when both are done. */
  | ({ readonly say: 'seen' } & Seen)
  | { readonly say: 'settled' }
  | { readonly say: 'found'; readonly found: Found }
  | { readonly say: 'inconclusive'; readonly run: InconclusiveRun }
  | ({ readonly say: 'replayed' } & Replayed)
  | {
      /** The result of replaying a corpus entry, or why it could not be run. */
      readonly say: 'revisited';
      readonly name: string;
      readonly replayed: Replayed | null;
      readonly problem: string | null;
    }
  | { readonly say: 'revisited-all' }
  /** The result of trying a group of objects. */
  | { readonly say: 'tried'; readonly name: string; readonly history: History }
  | { readonly say: 'tried-all' }
  | {
      /** A lab is ready for trials; includes the measurements of its references. */
      readonly say: 'ready';
      readonly reference: Reference;
      readonly aim: Aim;
      readonly base: Workload;
      readonly bystander: Bystander;
      readonly hints: Pick<StrategyHints, 'lockMs'>;
    }
  | {
      readonly say: 'ran';
      /** The trial's own schedule, or the schedule derived from its search. */
      readonly schedule: Schedule;
      /** The history without the reference, which is the same for all trials. */
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
      /** The target's last log lines, if the error message refers to them. */
      readonly printed?: readonly string[];
    };
