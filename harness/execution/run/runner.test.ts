/** Tests runs that are cut short, and what the supervisor of a runner observes of them. */
import { expect, it } from 'vitest';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { CutShort } from './cut-short.ts';
import { TrialRunner, type RunSupervision } from './runner.ts';
import { runnerOf, setReady, thinTarget, workload } from './testing.ts';

const TRIAL = { workload: workload(), schedule: EMPTY_SCHEDULE };

/**
 * Returns a runner whose runs are cut short because something does not respond, and a function that counts the runs that its supervisor saw
 * begin.
 */
function cut(throwIfTimeIsOver: RunSupervision['throwIfTimeIsOver']): { runner: TrialRunner; begun: () => number } {
  const { host, settings } = runnerOf(thinTarget(setReady));
  const silent = { ...host, drain: () => Promise.reject(new CutShort('no answer for 10 s')) };
  let begun = 0;
  const runner = new TrialRunner(silent, settings, { onRunBegins: () => begun++, throwIfTimeIsOver });
  return { runner, begun: () => begun };
}

it('counts a run once that is cut short although its time is not over, and returns it', async () => {
  const { runner, begun } = cut(() => {});

  const { settlement } = await runner.run(TRIAL);

  expect(settlement).toEqual({ result: 'cut-short', detail: 'no answer for 10 s' });
  expect(begun()).toBe(1);
});

it('returns no run whose time is over, but keeps it', async () => {
  const { runner } = cut(() => {
    throw new CutShort('its time was over', true);
  });

  await expect(runner.run(TRIAL)).rejects.toMatchObject({ isTimeOver: true });

  expect(runner.cut?.settlement.result).toBe('cut-short');
});
