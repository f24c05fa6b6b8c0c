/** What runs come to, with what they found and apart from it: whether it means anything that nothing failed. */
import { isNotConfirmed } from './confirmation.ts';
import type { CampaignOutcome, CampaignResult, Finding, PropertyTally } from './finding.ts';
import type { LeftOut } from './left-out.ts';

/** More than this share of runs without an opinion is no result. */
const INCONCLUSIVE_SHARE_MAX = 0.01;
/** Of so many runs, a single one may be without. */
const RUNS_FOR_ONE = 20;

export interface RunsMade {
  readonly runs: number;
  readonly interrupted: boolean;
  /** The same workload and schedule gave two histories. */
  readonly diverged: boolean;
  readonly inconclusiveRuns: number;
  readonly contention: { readonly [counter: string]: number };
  readonly perProperty: { readonly [property: string]: PropertyTally };
  /** Whether anybody was to get in the target's way. */
  readonly contended: boolean;
  /** What there was no time for. */
  readonly left: readonly LeftOut[];
}

export function outcomeBesides(made: RunsMade): CampaignOutcome {
  const { runs, contention } = made;
  if (made.interrupted) return 'interrupted';
  // One violation that was seen and not run again weighs more than any number of runs that hold.
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

/** What decides whether a finding fails a run. */
export type Weighed = Pick<Finding, 'onBase'> & {
  readonly stats: Pick<Finding['stats'], 'grade'>;
  readonly counterexample: Pick<Finding['counterexample'], 'confirmed'>;
};

/** Whether a finding counts at all: one that fails on the base build too, or that needs too much, is only reported. */
function counts({ stats, onBase }: Weighed): boolean {
  return stats.grade !== 'pathological' && onBase !== 'fails';
}

/** Whether a finding fails a run: not where a real server was asked often enough and never showed it. */
export function failsRun(finding: Weighed): boolean {
  return counts(finding) && !isNotConfirmed(finding.counterexample);
}

/** What it comes to with these findings. What no real server confirms is no proof of a bug, and no success either. */
export function outcomeOf(findings: readonly Weighed[], besides: CampaignOutcome): CampaignOutcome {
  if (findings.some(failsRun)) return 'violated';
  return besides === 'holds' && findings.some(counts) ? 'inconclusive' : besides;
}

/** Whether it is not said that the target is right or wrong: what it printed is worth showing then. */
export function hasNoVerdict(outcome: CampaignOutcome): boolean {
  return outcome !== 'holds' && outcome !== 'violated';
}

/** Whether a search did not come to its end, whatever it found until then. Of a soak it is said which shards are unfinished. */
export function isStoppedEarly({
  outcome,
  besides,
  soak,
}: Pick<CampaignResult, 'outcome' | 'besides' | 'soak'>): boolean {
  return soak === undefined && (outcome === 'interrupted' || besides === 'interrupted');
}
