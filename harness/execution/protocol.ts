/** What the supervisor and its worker say to each other. Everything here survives a structured clone. */
import type { RunSettings, Transport } from '../model/counterexample.ts';
import type { Violation } from '../model/check-result.ts';
import type { HarnessErrorCode } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import type { KubeObject } from '../model/object.ts';
import type { FaultKind } from '../model/schedule.ts';
import type { StrategyName, Trial } from '../model/trial.ts';
import type { Found, SearchTally } from './search.ts';

/** The target and everything that shapes its runs. */
export interface Subject {
  /** Absolute path of the module. */
  readonly target: string;
  readonly transport: Transport;
  readonly crds: readonly KubeObject[];
  readonly samples: readonly KubeObject[];
  readonly namespace: string;
  readonly settings: RunSettings;
  /** Names from the registry. */
  readonly properties: readonly string[];
  /** Where properties of the user's own come from; the worker imports it again. */
  readonly configFile: string | null;
}

export interface SearchJob {
  readonly job: 'search';
  readonly subject: Subject;
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  readonly strategies: readonly StrategyName[] | null;
  readonly seed: number;
  readonly verifyEvery: number;
  readonly firstRun: number;
  readonly runsMax: number;
  /** Real time left, ms. */
  readonly timeMs: number;
  readonly stopAfter: number;
  readonly known: readonly string[];
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
}

export type Job = SearchJob | ReplayJob;

/** Shared memory between the two, as Int32 slots. */
export const SLOT = { heartbeat: 0, stop: 1 } as const;
export const SLOTS = 2;

export interface WorkerData {
  readonly job: Job;
  readonly shared: SharedArrayBuffer;
}

export type FromWorker =
  | { readonly say: 'phase'; readonly phase: string }
  | { readonly say: 'trial'; readonly run: number; readonly trial: Trial }
  | { readonly say: 'tally'; readonly tally: SearchTally }
  | { readonly say: 'found'; readonly found: Found }
  | {
      readonly say: 'replayed';
      readonly k: number;
      readonly n: number;
      readonly history: History;
      readonly missed: readonly string[];
      readonly violations: readonly Violation[];
      /** Where two runs of the same schedule parted, if they did. */
      readonly diverged: string | null;
    }
  | { readonly say: 'done'; readonly tally: SearchTally; readonly why: 'budget' | 'recycle' }
  | { readonly say: 'error'; readonly code: HarnessErrorCode | null; readonly message: string; readonly stack: string };
