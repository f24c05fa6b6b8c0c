/**
 * The check run finds out whether the deterministic mode can control this target, and how long it takes to come to rest.
 *
 * Makes three undisturbed runs before the references: a discarded one (for lazy imports), one that watches for uncontrolled work, one
 * that measures quiescence. Owns: the error message about a target that uses real I/O.
 */
import { disturbs } from '../../determinism/uncontrolled.ts';
import type { UncontrolledUse } from '../../determinism/uncontrolled.ts';
import { HarnessError } from '../../model/errors.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { checkAlive, isSilent } from './undisturbed-trouble.ts';
import type { TrialRunner } from './runner.ts';

/** The number of uses that the message lists. */
const USES_LISTED = 5;

/**
 * Makes the check run.
 *
 * @throws {TARGET_UNCONTROLLED} if the target uses real timers or real I/O after it has started.
 * @throws {TARGET_FAILED} if it does not start, or never sends a request.
 */
export async function checkRun(runner: TrialRunner, base: Workload): Promise<void> {
  const trial: Trial = { workload: { ...base, start: 'empty', programs: [] }, schedule: EMPTY_SCHEDULE };
  const { host } = runner;
  // A process cannot be inspected from inside; its first reference shows whether it is alive.
  if (!runner.mode.checksControl) return;
  const first = await runner.run(trial);
  // For a target that sends no request, the watched run shows what it was waiting for.
  const wasSilent = isSilent(first);
  if (!wasSilent) checkAlive(first, host.containment);
  const uses = await host.watch(() => runner.run(trial));
  if (wasSilent) checkAlive(first, host.containment, uses);
  const disturbing = uses.filter(disturbs);
  if (disturbing.length > 0) throw uncontrolled(disturbing);
  await host.calibrate(() => runner.run(trial));
}

function uncontrolled(uses: readonly UncontrolledUse[]): HarnessError {
  const listed = uses
    .slice(0, USES_LISTED)
    .map((use) => `${use.kind} ${use.type} ${use.times}× at ${use.where || 'an unknown line'}`);
  const more = uses.length > USES_LISTED ? ` and ${uses.length - USES_LISTED} more` : '';
  return new HarnessError(
    'TARGET_UNCONTROLLED',
    `the target uses real time or real I/O that the deterministic mode cannot steer: ${listed.join('; ')}${more}; ` +
      'expected it to use only the kubeConfig it was given: inject a client, or keep such work out of the tested path',
    { details: { uses } },
  );
}
