/**
 * Findings and what a campaign, a replay and a recheck hand back.
 *
 * Owns: the nouns between `execution` (which makes them) and `report` (which shows and stores them).
 */
import type { Measures } from './baseline.ts';
import type { CheckResult, Violation } from './check-result.ts';
import type { Counterexample } from './counterexample.ts';
import type { Footprint, History } from './history.ts';
import type { Label } from './label.ts';
import type { Reanchored } from './schedule.ts';
import type { Waiver } from './waiver.ts';

/** k of n runs failed with the same signature. Never rounded up. */
export interface Reproduced {
  readonly k: number;
  readonly n: number;
}

/**
 * How unusual the conditions are that a finding needs. `everyday`: ordinary conflicts and lag of seconds. `restart-or-HA`: a
 * restart or a second replica. `pathological`: more than that; reported, but it does not fail a run.
 */
export type Grade = 'everyday' | 'restart-or-HA' | 'pathological';

/** What a run does without one of the schedule's deviations. */
export interface Counterfactual {
  /** A preemption, hold or fault as {@link deviationText} spells it. */
  readonly deviation: string;
  readonly without: 'passes' | 'still fails' | 'other';
}

export interface FindingStats {
  readonly stepsBefore: number;
  readonly stepsAfter: number;
  readonly actorsBefore: number;
  readonly actorsAfter: number;
  /** Runs that shrinking took. */
  readonly executions: number;
  readonly preemptions: number;
  readonly holds: number;
  readonly faults: number;
  /** Watch events that the holds keep back. */
  readonly heldItems: number;
  readonly reproduced: Reproduced;
  /** Runs of the campaign that failed with this signature. */
  readonly count: number;
  readonly grade: Grade;
  readonly counterfactuals: readonly Counterfactual[];
}

/** What the build before a change does with the same schedule. */
export type OnBase = 'fails' | 'holds' | 'unknown';

/** One signature: its smallest example and what stands behind it. */
export interface Finding {
  readonly violation: Violation;
  readonly counterexample: Counterexample;
  /** The history of the shrunk run. */
  readonly record: History;
  readonly stats: FindingStats;
  /** Present where there is a base build: what fails there too is not new. */
  readonly onBase?: OnBase;
}

/** A finding as stored: the file that `recheck` takes. */
export interface FindingRecord {
  readonly version: 2;
  readonly kind: 'record';
  /** Absent in records of version 1: their history has to be judged again. */
  readonly violation?: Violation;
  readonly stats?: FindingStats;
  readonly counterexample: Counterexample;
  readonly history: History;
}

/** What one property said over a campaign. */
export interface PropertyTally {
  readonly holds: number;
  readonly violated: number;
  readonly inconclusive: number;
  /** No run of the campaign put this property to the test. */
  readonly vacuous: boolean;
}

/** What a process target took of the system at rest, run by run, and how often it reconciled. */
export interface TargetUse {
  /** One for each run in which one life was there at rest, in order; the latest, where there are too many. */
  readonly atRest: readonly (Footprint & { readonly pid: number })[];
  /** Runs whose reconciles were counted. */
  readonly counted: number;
  /** From before contention until rest, over those runs, by result. */
  readonly reconciles: { readonly [result: string]: number };
  /** Why the metrics told nothing the last time that they did not. */
  readonly metricsFailed?: string;
}

export type CampaignOutcome = 'holds' | 'violated' | 'inconclusive' | 'vacuous' | 'interrupted';

export interface CampaignResult {
  readonly outcome: CampaignOutcome;
  /** What it comes to apart from its findings: whether what holds was put to the test. */
  readonly besides: CampaignOutcome;
  readonly seed: number;
  readonly runs: number;
  /** Trials that were run twice with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  /** Counters by name: `conflicts`, `staleReads`, `foreignWritesBetweenReadAndWrite`, … */
  readonly contention: { readonly [counter: string]: number };
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
  readonly inconclusive: { readonly count: number; readonly reasons: { readonly [reason: string]: number } };
  readonly perProperty: { readonly [property: string]: PropertyTally };
  /** Absent for a target that is no process. */
  readonly targetUse?: TargetUse;
  /** Runs by signature that failed in a way known before the campaign; absent where none did. */
  readonly seenAgain?: { readonly [signature: string]: number };
  /** What the target took of the server. */
  readonly measures?: Measures;
  /** For each waiver the violations that it covered; absent where there are no waivers. */
  readonly waived?: readonly { readonly waiver: Waiver; readonly count: number }[];
}

export interface ReplayResult {
  readonly reproduced: Reproduced;
  /** Labels of the schedule that never occurred in any of the runs. */
  readonly missedAnchors: readonly Label[];
  /** What had to be moved for the failure to come back, when the target was edited; absent when it came back as stored. */
  readonly reanchored?: Reanchored;
  /** Why the property had no opinion on a run, if that happened: not success. */
  readonly inconclusive?: string;
  /** Where two runs of the same schedule parted, if they did. */
  readonly diverged?: string;
  /** The history of the first run that reproduced it, else of the first run. */
  readonly history: History;
  /** The first run that did not reproduce it, where others did. */
  readonly other?: History;
  /** The violation with the stored signature, when it came back. */
  readonly violation?: Violation;
}

export interface CheckReport {
  /** What each property says of the stored history. */
  readonly results: readonly { readonly property: string; readonly result: CheckResult }[];
  /** The violation with the stored signature, when a property still finds it. */
  readonly violation?: Violation;
}
