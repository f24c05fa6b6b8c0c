/**
 * The check run: can the deterministic mode control this target, and how long does it take to come to rest?
 *
 * Three undisturbed runs before the references: one that is thrown away (lazy imports), one watched for what we cannot control,
 * one that measures quiescence. Owns: what is said about a target that uses real I/O.
 */
import { disturbs } from '../../determinism/uncontrolled.ts';
import type { UncontrolledUse } from '../../determinism/uncontrolled.ts';
import { HarnessError } from '../../model/errors.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { checkAlive, isSilent } from './undisturbed-trouble.ts';
import type { TrialRunner } from './runner.ts';

/** How many uses are told in full. */
const USES_TOLD = 5;

/**
 * Makes the check run.
 *
 * @throws {TARGET_UNCONTROLLED} when the target uses real timers or real I/O once it has started.
 * @throws {TARGET_FAILED} when it does not start, or never asks for anything.
 */
export async function checkRun(runner: TrialRunner, base: Workload): Promise<void> {
  const trial: Trial = { workload: { ...base, start: 'empty', programs: [] }, schedule: EMPTY_SCHEDULE };
  const { host } = runner;
  // Nobody can look into a process, and the first reference says whether it lives.
  if (!runner.mode.checksControl) return;
  const first = await runner.run(trial);
  // Of one that asks for nothing, the watched run knows what it was waiting for.
  const wasSilent = isSilent(first);
  if (!wasSilent) checkAlive(first, host.containment);
  const uses = await host.watch(() => runner.run(trial));
  if (wasSilent) checkAlive(first, host.containment, uses);
  const disturbing = uses.filter(disturbs);
  if (disturbing.length > 0) throw uncontrolled(disturbing);
  await host.calibrate(() => runner.run(trial));
}

function uncontrolled(uses: readonly UncontrolledUse[]): HarnessError {
  const told = uses
    .slice(0, USES_TOLD)
    .map((use) => `${use.kind} ${use.type} ${use.times}× at ${use.where || 'an unknown line'}`);
  const more = uses.length > USES_TOLD ? ` and ${uses.length - USES_TOLD} more` : '';
  return new HarnessError(
    'TARGET_UNCONTROLLED',
    `the target uses real time or real I/O that the deterministic mode cannot steer: ${told.join('; ')}${more}; ` +
      'expected it to use only the kubeConfig it was given: inject a client, or keep such work out of the tested path',
    { details: { uses } },
  );
}
