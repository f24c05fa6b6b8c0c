/**
 * Findings and the results of a campaign, a replay and a recheck.
 *
 * Owns: the types between `execution` (which creates them) and `report` (which shows and stores them).
 */
import type { Reproduced } from './confirmation.ts';
import type { Measures } from './baseline.ts';
import type { Symptom, Symptoms } from './cause.ts';
import type { CheckResult, Violation } from './check-result.ts';
import { signatureText, type Signature } from './signature.ts';
import type { Counterexample } from './counterexample.ts';
import type { Footprint, History } from './history.ts';
import type { Label } from './label.ts';
import type { LeftOut } from './left-out.ts';
import type { Reanchored, Schedule } from './schedule.ts';
import type { Sketch } from './sketch.ts';
import type { SoakFacts } from './soak-facts.ts';
import type { Waiver } from './waiver.ts';

/**
 * How unusual the conditions of a finding are. `everyday`: ordinary conflicts and lag of seconds. `restart-or-HA`: a restart or a second
 * replica. `pathological`: more than that; reported, but it does not fail a run.
 */
export type Grade = 'everyday' | 'restart-or-HA' | 'pathological';

/** The result of a run without one of the schedule's deviations. */
export interface Counterfactual {
  /** A preemption, hold or fault, formatted by {@link deviationText}. */
  readonly deviation: string;
  readonly without: 'passes' | 'still fails' | 'other';
}

/**
 * A run with the same workload and schedule except for one deviation, in which no property is violated. The difference between the two runs
 * is what the failure needs.
 */
export interface Neighbour {
  /** The deviation that was left out, formatted by {@link deviationText}. */
  readonly without: string;
  /** The requests and revisions of that run; other records are not kept. */
  readonly history: History;
}

export interface FindingStats {
  readonly stepsBefore: number;
  readonly stepsAfter: number;
  readonly actorsBefore: number;
  readonly actorsAfter: number;
  /** The number of runs that shrinking took. */
  readonly executions: number;
  readonly preemptions: number;
  readonly holds: number;
  readonly faults: number;
  /** The number of watch events that are delayed by holds. */
  readonly heldItems: number;
  readonly reproduced: Reproduced;
  /** The number of runs in the campaign that showed this cause. */
  readonly count: number;
  /** Its symptoms, the most frequent first. Absent in files that were written before causes existed. */
  readonly symptoms?: readonly Symptom[];
  readonly grade: Grade;
  readonly counterfactuals: readonly Counterfactual[];
}

/** The result of the same schedule on the base build, before the change. */
export type OnBase = 'fails' | 'holds' | 'unknown';

/** One cause, with the smallest example of one of its symptoms and the evidence. */
export interface Finding {
  readonly violation: Violation;
  readonly counterexample: Counterexample;
  /** The history of the shrunk run. */
  readonly record: History;
  readonly stats: FindingStats;
  /** Other keys of its cause; absent if there are none. */
  readonly also?: readonly string[];
  /** Absent if the failure needs no deviation, or if no single removal makes the run pass. */
  readonly neighbour?: Neighbour;
  /** Present if there is a base build: a finding that also fails there is not new. */
  readonly onBase?: OnBase;
  /** In a soak: the times of the first and the last occurrence, ISO 8601. */
  readonly seen?: { readonly first: string; readonly last: string };
}

/** A finding as stored: the input file of `recheck`. */
export interface FindingRecord {
  readonly version: 3;
  readonly kind: 'record';
  /** Absent in records of version 1, whose history has to be judged again. */
  readonly violation?: Violation;
  readonly stats?: FindingStats;
  /** Absent in records before version 3. */
  readonly neighbour?: Neighbour;
  readonly counterexample: Counterexample;
  readonly history: History;
}

/** The results of one property over a campaign. */
export interface PropertyTally {
  readonly holds: number;
  readonly violated: number;
  readonly inconclusive: number;
  /** True if no run of the campaign exercised this property. */
  readonly vacuous: boolean;
  /**
   * True if no run contained anything that could have violated the property, so that `holds` is no evidence. Unlike `vacuous`, this does
   * not fail the campaign.
   */
  readonly untested?: true;
}

/** Inconclusive runs. */
export interface Inconclusive {
  readonly count: number;
  readonly reasons: { readonly [reason: string]: number };
  /** For targets that never came to rest: what the target was doing in the first such run, by reason. */
  readonly examples?: { readonly [reason: string]: string };
  /** The file that holds the first such run, by reason. */
  readonly files?: { readonly [reason: string]: string };
}

/** The first run of a campaign that was inconclusive for this property and reason. */
export interface InconclusiveRun {
  readonly property: string;
  readonly reason: string;
  /** Its deviations from the default order. */
  readonly schedule: Schedule;
  readonly history: History;
}

/** Returns the text under which a reason is counted: `convergence: the target never came to rest`. */
export function reasonText({ property, reason }: Pick<InconclusiveRun, 'property' | 'reason'>): string {
  return `${property}: ${reason}`;
}

/** The resource use of one incarnation of a target at the end of a run. */
export interface RestSample extends Footprint {
  readonly pid: number;
  /** The target's requests in that run. */
  readonly requests: number;
  /** The machine that made the run, if there are several machines. */
  readonly on?: string;
}

/** The resource use of a process target at rest, run by run, and the number of its reconciles. */
export interface TargetUse {
  /** One sample per run in which a single incarnation was at rest, in order; only the latest if there are too many. */
  readonly atRest: readonly RestSample[];
  /** The number of runs whose reconciles were counted. */
  readonly counted: number;
  /** Reconciles by result, over those runs, from the start of contention until rest. */
  readonly reconciles: { readonly [result: string]: number };
  /** The latest reason why metrics could not be read. */
  readonly metricsFailed?: string;
  /** Absent if no run has been timed. */
  readonly time?: TimeSpent;
}

/** The real time of all runs together, in ms, by activity. */
export interface TimeSpent {
  readonly runs: number;
  /** Until the target has started and reconciled the sample. */
  readonly startMs: number;
  readonly contentionMs: number;
  /** From the end of contention until rest. */
  readonly restMs: number;
  /** Judging after the run has come to rest, including probes. */
  readonly furtherMs: number;
  /** Part of the times above: the waits between two steps until a target that is still computing comes to rest. */
  readonly drainMs: number;
}

/** A warning of a property: reported, but it does not fail a run. */
export interface Remark {
  readonly signature: Signature;
  /** The sentence from the first run that showed it. */
  readonly sentence: string;
  /** The number of runs in the campaign that showed it. */
  readonly count: number;
}

/** Sorts remarks by frequency, the most frequent first. */
export function sortedRemarks(remarks: readonly Remark[]): readonly Remark[] {
  return remarks.toSorted(
    (a, b) => b.count - a.count || (signatureText(a.signature) < signatureText(b.signature) ? -1 : 1),
  );
}

export type CampaignOutcome = 'holds' | 'violated' | 'inconclusive' | 'vacuous' | 'interrupted';

export interface CampaignResult {
  readonly outcome: CampaignOutcome;
  /** The outcome if the findings are ignored: whether enough was tried for `holds` to mean anything. */
  readonly besides: CampaignOutcome;
  readonly seed: number;
  readonly runs: number;
  /** The number of trials that were run twice with byte-identical histories. */
  readonly verified: number;
  readonly elapsedMs: number;
  /** Counters by name: `conflicts`, `staleReads`, `foreignWritesBetweenReadAndWrite`, … */
  readonly contention: { readonly [counter: string]: number };
  readonly findings: readonly Finding[];
  readonly warnings: readonly string[];
  /** The last output of the target; absent if the campaign has a verdict. */
  readonly printed?: readonly string[];
  /** Warnings of properties; absent if there are none. */
  readonly remarks?: readonly Remark[];
  readonly inconclusive: Inconclusive;
  readonly perProperty: { readonly [property: string]: PropertyTally };
  /** Absent if the target is not a process. */
  readonly targetUse?: TargetUse;
  /** Failed runs by cause (or by signature, where only that is known) for causes known before the campaign; absent if there were none. */
  readonly seenAgain?: { readonly [cause: string]: number };
  /** Request rates of the target, to compare with the baseline. */
  readonly measures?: Measures;
  /** The situations that occurred, in a form that can be merged with those of other campaigns. */
  readonly seen?: {
    readonly behaviours: Sketch;
    /** Formatted by `oracle/situations.ts`. */
    readonly situations: readonly string[];
    /** The symptoms of each cause, whether found now or known before. */
    readonly symptoms?: Symptoms;
  };
  /** True if the same workload and schedule gave two different histories. */
  readonly diverged?: boolean;
  /** Steps that were skipped for lack of time; absent if none were. */
  readonly leftOut?: readonly LeftOut[];
  /** Present if this is the sum of many campaigns. */
  readonly soak?: SoakFacts;
  /** The number of covered violations per waiver; absent if there are no waivers. */
  readonly waived?: readonly { readonly waiver: Waiver; readonly count: number }[];
}

export interface ReplayResult {
  readonly reproduced: Reproduced;
  /** Labels of the schedule that never occurred in any of the runs. */
  readonly missedAnchors: readonly Label[];
  /** Labels that had to be moved to reproduce the finding after a change of the target; absent if it reproduced as stored. */
  readonly reanchored?: Reanchored;
  /** Why a run was inconclusive, if one was; the replay is then not a success. */
  readonly inconclusive?: string;
  /** The first difference between two runs of the same schedule, if any. */
  readonly diverged?: string;
  /** The history of the first run that reproduced the finding, else of the first run. */
  readonly history: History;
  /** The history of the first run that did not reproduce the finding, if another run did. */
  readonly other?: History;
  /** The violation with the stored signature, if it reproduced. */
  readonly violation?: Violation;
  /** Another violation of the same property, if the finding did not reproduce but the run failed. */
  readonly otherwise?: Violation;
  /** The real server that the replay ran on, `kube-apiserver 1.36.3`; absent for the embedded server. */
  readonly server?: string;
  /** The finding after shrinking and reproducing, if requested and reproduced. */
  readonly shrunk?: Finding;
}

export interface CheckReport {
  /** The result of each property on the stored history. */
  readonly results: readonly { readonly property: string; readonly result: CheckResult }[];
  /** The violation with the stored signature, if a property still reports it. */
  readonly violation?: Violation;
}
