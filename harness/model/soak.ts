/**
 * Soaks: campaigns run one after another for hours, on any number of machines, and the lines that they log.
 *
 * Owns: the types. Every line is self-contained: it names its soak, its shard and its batch, so that lines of any number of files can be
 * merged in any order, repeatedly (`report/soak/merge.ts`). `schedule/codec/soak-line.ts` defines the stored form, `execution/soak/` writes
 * it.
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

/** The number of a shard, counted from 1, and the number of shards. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** Identifies the soak and the shard that a recorded line belongs to. */
export interface SoakPlace {
  /** Digest of the settings that determine the runs: results with different digests are never merged. */
  readonly about: string;
  /** The value from which, together with the shard, the seeds are derived; usually a date. */
  readonly epoch: string;
  /** `3/16`. */
  readonly shard: string;
}

/** The settings of a soak that reports print; they apply to every run. */
export interface SoakAbout {
  /** `stalemate.target.ts with Widget/example`. */
  readonly name: string;
  readonly target: string;
  readonly cluster: ClusterKind;
  readonly file: string | null;
  readonly properties: readonly { readonly name: string; readonly about: string }[];
  /** True if writers or faults were meant to disturb the target. */
  readonly contended: boolean;
}

/** Limits in runs and time; absent means unlimited. */
export interface SoakBudget {
  readonly timeMs?: number;
  readonly runs?: number;
}

/** The subset of the configuration that a batch draws. */
export interface Draw {
  readonly seed: number;
  readonly writers: readonly string[];
  readonly faults: readonly FaultKind[];
  /** `null`: all strategies. */
  readonly strategies: readonly StrategyName[] | null;
  /** `null`: both kinds of start. */
  readonly start: Workload['start'] | null;
}

/** The resource use of a process at rest, run by run, one array per figure. */
export interface UseColumns {
  readonly pids: readonly number[];
  readonly fileDescriptors: readonly number[];
  readonly threads: readonly number[];
  readonly memoryKb: readonly number[];
  readonly requests: readonly number[];
  /** The number of runs whose reconciles were counted. */
  readonly counted: number;
  readonly reconciles: { readonly [result: string]: number };
}

/** The result of one campaign of a soak, without its findings. */
export interface BatchResult {
  readonly seed: number;
  readonly writers: readonly string[];
  readonly faults: readonly string[];
  readonly strategies: readonly string[] | null;
  readonly start: Workload['start'] | null;
  /** True if an interrupt ended it early. */
  readonly interrupted: boolean;
  readonly diverged: boolean;
  readonly runs: number;
  readonly verified: number;
  readonly elapsedMs: number;
  readonly contention: { readonly [counter: string]: number };
  /** Failed runs by cause; by signature in lines that were written before causes existed. */
  readonly counts: { readonly [cause: string]: number };
  /** The symptoms of each of these causes. */
  readonly symptoms?: Symptoms;
  readonly perProperty: { readonly [property: string]: PropertyTally };
  readonly inconclusive: Inconclusive;
  readonly warnings: readonly string[];
  /** Warnings of properties; absent in older lines. */
  readonly remarks?: readonly Remark[];
  readonly measures: Measures;
  readonly behaviours: Sketch;
  readonly situations: readonly string[];
  readonly waived?: readonly { readonly waiver: Waiver; readonly count: number }[];
  readonly use?: UseColumns;
}

/** A finding with its violation and statistics. */
export type SoakRecord = FindingRecord & Required<Pick<FindingRecord, 'violation' | 'stats'>>;

/** A line with its text, which identifies it. */
export interface SoakEntry {
  readonly line: SoakLine;
  readonly text: string;
}

/** The origin and the time of a line; `at` is wall-clock time, ISO 8601. */
interface LineBase extends SoakPlace {
  readonly version: 1;
  readonly kind: 'soak-line';
  readonly at: string;
}

export type SoakLine =
  /** The first line of a folder; repeated whenever the soak resumes with another budget. */
  | (LineBase &
      SoakAbout & {
        readonly line: 'about';
        readonly seed: number;
        readonly budget: SoakBudget;
        /** Digest of the target's own file; `null` if there is none to read. */
        readonly program: string | null;
      })
  | (LineBase & { readonly line: 'begun'; readonly batch: number })
  /** Written as soon as a finding is reproduced, with everything that a report needs. */
  | (LineBase & {
      readonly line: 'finding';
      readonly batch: number;
      readonly record: SoakRecord;
      /** Other keys of its cause; absent if there are none, and in older lines. */
      readonly also?: readonly string[];
    })
  /** The first run of its shard that was inconclusive for this reason. */
  | (LineBase & { readonly line: 'inconclusive'; readonly batch: number; readonly recording: UnjudgedRun })
  | (LineBase & { readonly line: 'batch'; readonly batch: number; readonly result: BatchResult })
  /** A batch that failed, and why. */
  | (LineBase & { readonly line: 'failed'; readonly batch: number; readonly message: string })
  /**
   * The results of one start of the soak apart from its batches: corpus entries, which are replayed first, and budgets, which are checked
   * last.
   */
  | (LineBase & {
      readonly line: 'judged';
      readonly kept: readonly CorpusSummaryEntry[];
      readonly budgets: readonly BudgetCheck[];
    })
  /** The shard has used up its budget or has as many findings as it may; a later batch or another budget reopens it. */
  | (LineBase & { readonly line: 'ended' });

export type SoakLineOf<K extends SoakLine['line']> = Extract<SoakLine, { readonly line: K }>;
