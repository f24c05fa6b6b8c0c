/** What runs come to, with what they found and apart from it: whether it means anything that nothing failed. */
import type { CampaignOutcome, Finding, PropertyTally } from './finding.ts';

/** More than this share of trials without an opinion is no result. */
const INCONCLUSIVE_SHARE_MAX = 0.01;

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
}

export function outcomeBesides(made: RunsMade): CampaignOutcome {
  const { runs, contention } = made;
  if (made.interrupted) return 'interrupted';
  if (made.diverged || made.inconclusiveRuns > runs * INCONCLUSIVE_SHARE_MAX || runs === 0) return 'inconclusive';
  if (Object.values(made.perProperty).some(({ vacuous }) => vacuous)) return 'vacuous';
  const met =
    (contention['conflicts'] ?? 0) +
    (contention['staleReads'] ?? 0) +
    (contention['foreignWritesBetweenReadAndWrite'] ?? 0);
  return met === 0 && made.contended ? 'vacuous' : 'holds';
}

/** What it comes to with these findings: those that also fail on the base build, and those that need too much, fail nothing. */
export function outcomeOf(
  findings: readonly Pick<Finding, 'stats' | 'onBase'>[],
  besides: CampaignOutcome,
): CampaignOutcome {
  const counts = ({ stats, onBase }: Pick<Finding, 'stats' | 'onBase'>): boolean =>
    stats.grade !== 'pathological' && onBase !== 'fails';
  return findings.some(counts) ? 'violated' : besides;
}
