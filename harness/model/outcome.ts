/** The outcome of a set of runs, with and without findings: it shows whether the absence of failures means anything. */
import { isNotConfirmed } from './confirmation.ts';
import type { CampaignOutcome, CampaignResult, Finding, PropertyTally } from './finding.ts';
import type { LeftOut } from './left-out.ts';

/** The highest share of inconclusive runs in a meaningful result. */
const INCONCLUSIVE_SHARE_MAX = 0.01;
/** With at least this many runs, one may be inconclusive. */
const RUNS_FOR_ONE = 20;

export interface RunsMade {
  readonly runs: number;
  readonly interrupted: boolean;
  /** True if the same workload and schedule gave two different histories. */
  readonly diverged: boolean;
  readonly inconclusiveRuns: number;
  readonly contention: { readonly [counter: string]: number };
  readonly perProperty: { readonly [property: string]: PropertyTally };
  /** True if writers or faults were meant to disturb the target. */
  readonly contended: boolean;
  /** Steps that were skipped for lack of time. */
  readonly left: readonly LeftOut[];
}

export function outcomeBesides(made: RunsMade): CampaignOutcome {
  const { runs, contention } = made;
  if (made.interrupted) return 'interrupted';
  // One violation that was not rerun outweighs any number of runs in which the properties hold.
  const isUnproved = made.left.some(({ what }) => what === 'unproved');
  if (made.diverged || isUnproved || runs === 0) return 'inconclusive';
  const mayBe = Math.max(runs * INCONCLUSIVE_SHARE_MAX, runs >= RUNS_FOR_ONE ? 1 : 0);
  if (made.inconclusiveRuns > mayBe) return 'inconclusive';
  if (Object.values(made.perProperty).some(({ vacuous }) => vacuous)) return 'vacuous';
  const met =
    (contention['conflicts'] ?? 0) +
    (contention['staleReads'] ?? 0) +
    (contention['foreignWritesBetweenReadAndWrite'] ?? 0);
  return met === 0 && made.contended ? 'vacuous' : 'holds';
}

/** The fields that decide whether a finding fails a run. */
export type Weighed = Pick<Finding, 'onBase'> & {
  readonly stats: Pick<Finding['stats'], 'grade'>;
  readonly counterexample: Pick<Finding['counterexample'], 'confirmed'>;
};

/**
 * Reports whether a finding affects the outcome: findings that also fail on the base build, or that need pathological conditions, are only
 * reported.
 */
function counts({ stats, onBase }: Weighed): boolean {
  return stats.grade !== 'pathological' && onBase !== 'fails';
}

/** Reports whether a finding fails a run. A finding that was rerun on a real server often enough without failing does not. */
export function failsRun(finding: Weighed): boolean {
  return counts(finding) && !isNotConfirmed(finding.counterexample);
}

/** Returns the outcome including these findings. A finding that no real server confirms is neither proof of a bug nor a success. */
export function outcomeOf(findings: readonly Weighed[], besides: CampaignOutcome): CampaignOutcome {
  if (findings.some(failsRun)) return 'violated';
  return besides === 'holds' && findings.some(counts) ? 'inconclusive' : besides;
}

/** Reports whether there is no verdict on the target; if so, its output is shown. */
export function hasNoVerdict(outcome: CampaignOutcome): boolean {
  return outcome !== 'holds' && outcome !== 'violated';
}

/**
 * Reports whether a search ended before it was complete, regardless of its findings. In a soak, the unfinished shards are reported instead.
 */
export function isStoppedEarly({
  outcome,
  besides,
  soak,
}: Pick<CampaignResult, 'outcome' | 'besides' | 'soak'>): boolean {
  return soak === undefined && (outcome === 'interrupted' || besides === 'interrupted');
}
