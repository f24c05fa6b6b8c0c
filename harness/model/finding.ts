/**
 * Findings and what a campaign, a replay and a recheck hand back.
 *
 * Owns: the nouns between `execution` (which makes them) and `report` (which shows and stores them).
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

/**
 * The run next to the failing one: the same workload and schedule but for one deviation, and nothing is wrong with it. What sets the
 * two apart is what the failure needs.
 */
export interface Neighbour {
  /** The deviation that was left out, as {@link deviationText} spells it. */
  readonly without: string;
  /** Its requests and versions; what else was recorded of it is not kept. */
  readonly history: History;
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
  /** Watch events that the holds delay. */
  readonly heldItems: number;
  readonly reproduced: Reproduced;
  /** Runs of the campaign that showed this cause. */
  readonly count: number;
  /** How it showed, the most frequent first. Absent in files from before causes. */
  readonly symptoms?: readonly Symptom[];
  readonly grade: Grade;
  readonly counterfactuals: readonly Counterfactual[];
}

/** What the build before a change does with the same schedule. */
export type OnBase = 'fails' | 'holds' | 'unknown';

/** One cause: the smallest example of one of its symptoms, and its evidence. */
export interface Finding {
  readonly violation: Violation;
  readonly counterexample: Counterexample;
  /** The history of the shrunk run. */
  readonly record: History;
  readonly stats: FindingStats;
  /** Other keys that its cause goes by; absent where there are none. */
  readonly also?: readonly string[];
  /** Absent if no deviation is needed, or removing one does not make it pass. */
  readonly neighbour?: Neighbour;
  /** Present if there is a base build: a finding that fails there too is not new. */
  readonly onBase?: OnBase;
  /** Of a soak: when it was seen for the first and for the last time, ISO 8601. */
  readonly seen?: { readonly first: string; readonly last: string };
}

/** A finding as stored: the file that `recheck` takes. */
export interface FindingRecord {
  readonly version: 3;
  readonly kind: 'record';
  /** Absent in records of version 1: their history has to be judged again. */
  readonly violation?: Violation;
  readonly stats?: FindingStats;
  /** Absent in records before version 3. */
  readonly neighbour?: Neighbour;
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
  /** No run held anything that could have broken the claim, so that it holds says nothing. Unlike `vacuous`, that fails nothing. */
  readonly untested?: true;
}

/** Runs that nothing can be said about. */
export interface Inconclusive {
  readonly count: number;
  readonly reasons: { readonly [reason: string]: number };
  /** For reasons that are about a target that is never at rest: what it was busy with in the first such run. */
  readonly examples?: { readonly [reason: string]: string };
  /** Where the first such run is kept, by reason. */
  readonly files?: { readonly [reason: string]: string };
}

/** The first run of a campaign that a property had no opinion on for this reason. */
export interface InconclusiveRun {
  readonly property: string;
  readonly reason: string;
  /** How it deviated from the default order. */
  readonly schedule: Schedule;
  readonly history: History;
}

/** As reasons are counted: `convergence: the target never came to rest`. */
export function reasonText({ property, reason }: Pick<InconclusiveRun, 'property' | 'reason'>): string {
  return `${property}: ${reason}`;
}

/** What one life of a target took of the system at the end of a run. */
export interface RestSample extends Footprint {
  readonly pid: number;
  /** Requests of the target in that run. */
  readonly requests: number;
  /** Which machine it was, where there are several. */
  readonly on?: string;
}

/** What a process target took of the system at rest, run by run, and how often it reconciled. */
export interface TargetUse {
  /** One for each run in which one life was there at rest, in order; the latest, where there are too many. */
  readonly atRest: readonly RestSample[];
  /** Runs whose reconciles were counted. */
  readonly counted: number;
  /** From before contention until rest, over those runs, by result. */
  readonly reconciles: { readonly [result: string]: number };
  /** Why the metrics told nothing the last time that they did not. */
  readonly metricsFailed?: string;
  /** Absent where one process lives through many runs. */
  readonly time?: TimeSpent;
}

/** Where the time of runs went, in ms of real time over all of them. */
export interface TimeSpent {
  readonly runs: number;
  /** Until the target had started and done what it does with the sample. */
  readonly startMs: number;
  readonly contentionMs: number;
  /** From the end of contention until rest. */
  readonly restMs: number;
  /** Judging: with further looks at what was suspected, and runs beside it. */
  readonly furtherMs: number;
  /** Of all that: until the target came to rest between two steps. It computes meanwhile. */
  readonly drainMs: number;
}

/** What a property warns of: worth telling, and it fails nothing. */
export interface Remark {
  readonly signature: Signature;
  /** Of the first run that showed it. */
  readonly sentence: string;
  /** Runs of the campaign that showed it. */
  readonly count: number;
}

/** The most frequent first. */
export function sortedRemarks(remarks: readonly Remark[]): readonly Remark[] {
  return remarks.toSorted(
    (a, b) => b.count - a.count || (signatureText(a.signature) < signatureText(b.signature) ? -1 : 1),
  );
}

export type CampaignOutcome = 'holds' | 'violated' | 'inconclusive' | 'vacuous' | 'interrupted';

export interface CampaignResult {
  readonly outcome: CampaignOutcome;
  /** The result apart from findings: whether the properties that hold were tested. */
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
  /** The last output of the target; absent if there is a verdict. */
  readonly printed?: readonly string[];
  /** Warnings of properties; absent if there are none. */
  readonly remarks?: readonly Remark[];
  readonly inconclusive: Inconclusive;
  readonly perProperty: { readonly [property: string]: PropertyTally };
  /** Absent for a target that is no process. */
  readonly targetUse?: TargetUse;
  /** Failed runs whose cause (or signature, if that is all) was known before the campaign; absent if there were none. */
  readonly seenAgain?: { readonly [cause: string]: number };
  /** Request rates of the target, which are compared with the baseline. */
  readonly measures?: Measures;
  /** Situations that occurred, in a form that can be added to those of other campaigns. */
  readonly seen?: {
    readonly behaviours: Sketch;
    /** As `oracle/situations.ts` spells them. */
    readonly situations: readonly string[];
    /** How each cause showed, found or known before. */
    readonly symptoms?: Symptoms;
  };
  /** The same workload and schedule gave two histories. */
  readonly diverged?: boolean;
  /** What was left out for lack of time; absent if nothing was. */
  readonly leftOut?: readonly LeftOut[];
  /** Present if this is the sum of many campaigns. */
  readonly soak?: SoakFacts;
  /** Covered violations by waiver; absent if there are no waivers. */
  readonly waived?: readonly { readonly waiver: Waiver; readonly count: number }[];
}

export interface ReplayResult {
  readonly reproduced: Reproduced;
  /** Labels of the schedule that never occurred in any of the runs. */
  readonly missedAnchors: readonly Label[];
  /** Labels that had to be moved to reproduce it after a change of the target; absent if it reproduced as stored. */
  readonly reanchored?: Reanchored;
  /** Why a run was inconclusive, if one was: not a success. */
  readonly inconclusive?: string;
  /** The first difference between two runs of the same schedule, if any. */
  readonly diverged?: string;
  /** The history of the first run that reproduced it, else of the first run. */
  readonly history: History;
  /** The first run that did not reproduce it, if another did. */
  readonly other?: History;
  /** The violation with the stored signature, if it reproduced. */
  readonly violation?: Violation;
  /** Another violation of the same property, if the finding did not reproduce but the run failed. */
  readonly otherwise?: Violation;
  /** The real server that it ran on, `kube-apiserver 1.36.3`; absent for the embedded one. */
  readonly server?: string;
  /** The finding after shrinking and reproducing, if requested and reproduced. */
  readonly shrunk?: Finding;
}

export interface CheckReport {
  /** The result of each property on the stored history. */
  readonly results: readonly { readonly property: string; readonly result: CheckResult }[];
  /** The violation with the stored signature, when a property still finds it. */
  readonly violation?: Violation;
}
