/**
 * Soaks: campaigns that follow one another for hours, on many machines, and the lines that each of them leaves.
 *
 * Owns: the nouns. A line stands for itself: it names its soak, its shard and its batch, so that lines of any number of files add up in
 * any order, twice or not at all (`report/soak/merge.ts`). Stored as `schedule/codec/soak-line.ts` says, made by `execution/soak/`.
 */
import type { ClusterKind } from './cluster.ts';
import type { Symptoms } from './cause.ts';
import type { CorpusSummaryEntry } from './corpus.ts';
import type { BudgetCheck, Measures } from './baseline.ts';
import type { FindingRecord, Inconclusive, PropertyTally, Remark } from './finding.ts';
import type { UnjudgedRun } from './recording.ts';
import type { Sketch } from './sketch.ts';
import type { FaultKind } from './schedule.ts';
import type { StrategyName } from './trial.ts';
import type { Waiver } from './waiver.ts';
import type { Workload } from './workload.ts';

/** One of how many, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Which soak a line belongs to, and which part of it. */
export interface SoakPlace {
  /** Digest of what the runs are about: results of two that differ in it are never added up. */
  readonly about: string;
  /** What the seeds follow from, beside the shard: usually a day. */
  readonly epoch: string;
  /** `3/16`. */
  readonly shard: string;
}

/** What shaped every run of a soak, as far as a report tells it. */
export interface SoakAbout {
  /** `stalemate.target.ts with Widget/example`. */
  readonly name: string;
  readonly target: string;
  readonly cluster: ClusterKind;
  readonly file: string | null;
  readonly properties: readonly { readonly name: string; readonly about: string }[];
  /** Whether anybody was to get in the target's way. */
  readonly contended: boolean;
}

/** So much of either; what is not limited is absent. */
export interface SoakBudget {
  readonly timeMs?: number;
  readonly runs?: number;
}

/** What a batch draws from what the configuration allows. */
export interface Draw {
  readonly seed: number;
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** `null`: all of them. */
  readonly strategies: readonly StrategyName[] | null;
  /** `null`: either. */
  readonly start: Workload['start'] | null;
}

/** What a process took of the system at rest, run by run, one column per figure. */
export interface UseColumns {
  readonly pids: readonly number[];
  readonly fileDescriptors: readonly number[];
  readonly threads: readonly number[];
  readonly memoryKb: readonly number[];
  readonly requests: readonly number[];
  /** Runs whose reconciles were counted. */
  readonly counted: number;
  readonly reconciles: { readonly [result: string]: number };
}

/** What one campaign of a soak came to, without its findings. */
export interface BatchResult {
  readonly seed: number;
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  readonly strategies: readonly string[] | null;
  readonly start: Workload['start'] | null;
  /** Ended early because somebody asked for it. */
  readonly interrupted: boolean;
  readonly diverged: boolean;
  readonly runs: number;
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  /** Runs that failed, by cause; by signature in lines from before causes. */
  readonly counts: { readonly [cause: string]: number };
  /** How each of these causes showed. */
  readonly symptoms?: Symptoms;
  readonly perProperty: { readonly [property: string]: PropertyTally };
  readonly inconclusive: Inconclusive;
  readonly warnings: readonly string[];
  /** What properties warn of; absent in older lines. */
  readonly remarks?: readonly Remark[];
  readonly measures: Measures;
  readonly behaviours: Sketch;
  readonly situations: readonly string[];
  readonly waived?: readonly { readonly waiver: Waiver; readonly count: number }[];
  readonly use?: UseColumns;
}

/** A finding with what is said of it. */
export type SoakRecord = FindingRecord & Required<Pick<FindingRecord, 'violation' | 'stats'>>;

/** A line beside its text, which is the same for the same line. */
export interface SoakEntry {
  readonly line: SoakLine;
  readonly text: string;
}

/** Where and when: `at` is the wall clock, ISO 8601. */
interface LineBase extends SoakPlace {
  readonly version: 1;
  readonly kind: 'soak-line';
  readonly at: string;
}

export type SoakLine =
  /** First of a folder, and again whenever it goes on with another budget than the last time. */
  | (LineBase &
      SoakAbout & {
        readonly line: 'about';
        readonly seed: number;
        readonly budget: SoakBudget;
        /** Digest of the target's own file; `null` where there is none to read. */
        readonly program: string | null;
      })
  | (LineBase & { readonly line: 'begun'; readonly batch: number })
  /** As soon as it is reproduced, with all that a report needs. */
  | (LineBase & {
      readonly line: 'finding';
      readonly batch: number;
      readonly record: SoakRecord;
      /** Other keys that its cause goes by; absent where there are none, and in older lines. */
      readonly also?: readonly string[];
    })
  /** The first run of its shard that nothing can be said about for this reason. */
  | (LineBase & { readonly line: 'inconclusive'; readonly batch: number; readonly recording: UnjudgedRun })
  | (LineBase & { readonly line: 'batch'; readonly batch: number; readonly result: BatchResult })
  /** A batch that came to nothing, and why. */
  | (LineBase & { readonly line: 'failed'; readonly batch: number; readonly message: string })
  /** What a start of it says beside its batches: findings that the project keeps, replayed first; budgets, looked at last. */
  | (LineBase & {
      readonly line: 'judged';
      readonly kept: readonly CorpusSummaryEntry[];
      readonly budgets: readonly BudgetCheck[];
    })
  /** The budget is used up, or enough was found; a batch that comes after it, or another budget, reopens the shard. */
  | (LineBase & { readonly line: 'ended' });

export type SoakLineOf<K extends SoakLine['line']> = Extract<SoakLine, { readonly line: K }>;
