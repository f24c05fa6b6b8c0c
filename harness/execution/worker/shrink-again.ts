/**
 * The worker's side of `replay --shrink`: shrinks and reproduces a stored finding that failed again, without a tight budget.
 *
 * This completes the steps that a campaign skips when its budget runs out.
 */
import { signatureText } from '../../model/signature.ts';
import { ownCause } from '../../model/cause.ts';
import { unlessTimeIsOver } from '../run/cut-short.ts';
import { attempting, lanesOf } from '../search/attempt.ts';
import { findingOf, type Found } from '../search/found.ts';
import type { Suspect } from '../search/known-causes.ts';
import { newTally } from '../search/tally.ts';
import type { CutAt } from '../time-plan.ts';
import type { Replayed } from './protocol.ts';
import type { ReplaySetup, Stored } from './replay-setup.ts';

/** The time limit for shrinking and for reproducing each, in ms; the limit of runs usually ends both sooner. */
const SHRINK_MS = 600_000;

/** Returns the finding; undefined if the stored trial did not fail again. */
export async function shrinkAgain(
  setup: ReplaySetup,
  { trial, signature }: Stored,
  { violations, history, reanchored }: Replayed,
  {
    stopped,
    cutAt,
    onPhase,
  }: { readonly stopped: () => boolean; readonly cutAt: CutAt; readonly onPhase: (phase: string) => void },
): Promise<Found | undefined> {
  const violation = violations.find((one) => signatureText(one.signature) === signature);
  if (violation === undefined) return undefined;
  onPhase('shrink');
  const { runner, base, properties } = setup;
  const { reference } = setup.references;
  const again = { ...reference, suspectSettleMs: runner.host.pace.againMs };
  const lanes = lanesOf(await runner.lanes(Number.POSITIVE_INFINITY), base, reference);
  const attempt = attempting(lanes, properties, again, async (made) => (await made).judged);
  const schedule = reanchored?.schedule ?? trial.schedule;
  const suspect: Suspect = { violation, causes: { candidates: [ownCause(violation)], certain: false } };
  // The replay has come to its end, and counts without this.
  return findingOf(
    {
      trial: { workload: trial.workload, schedule },
      judged: { history, violations, inconclusive: new Map() },
      schedule,
      suspects: [suspect],
    },
    suspect,
    {
      ...{ runner, properties, allSymptoms: true, stopped, cutAt },
      ...{ shrinkMs: SHRINK_MS, provedUntil: Number.POSITIVE_INFINITY, onPhase },
    },
    attempt,
    newTally(),
  ).catch(unlessTimeIsOver);
}
