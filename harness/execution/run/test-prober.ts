/** What tests of the prober share: a prober with a runner for a target, and two trials. */
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { Prober } from './prober.ts';
import { takeReferences } from './references.ts';
import type { TrialRunner } from './runner.ts';
import { label, runnerOf, thinTarget, workload, type Reconcile } from './testing.ts';

export const QUIET: Trial = { workload: workload(), schedule: EMPTY_SCHEDULE };

export async function proberOf(
  reconcile: Reconcile,
): Promise<{ readonly prober: Prober; readonly runner: TrialRunner }> {
  const runner = runnerOf(thinTarget(reconcile), { settleStepsMax: 200 });
  const { reference } = await takeReferences(runner, workload(), []);
  return { runner, prober: new Prober((trial, variant) => runner.run(trial, variant), workload(), reference) };
}

export function labelled(value: string): Trial {
  return { ...QUIET, workload: workload([{ actor: 'writer-1', writer: 'test', ops: [label(value)] }]) };
}
