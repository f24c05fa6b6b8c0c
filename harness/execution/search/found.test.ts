/** Tests how a failure is handled when little time is left. No trial is run: the tests supply the results of attempts. */
import { describe, expect, it } from 'vitest';
import { realNow } from '../../determinism/real-time.ts';
import { EMPTY_SCHEDULE, type Fault, type Schedule } from '../../model/schedule.ts';
import { ownCause } from '../../model/cause.ts';
import { emptyHistory } from '../run/empty-history.ts';
import type { Judged } from '../run/judge.ts';
import { REAL_MODE } from '../run/run-mode.ts';
import type { TrialRunner } from '../run/runner.ts';
import { violation } from '../run/test-verdicts.ts';
import { findingOf, type StoredFailure, type Found, type ProofOptions } from './found.ts';
import type { Suspect } from './known-causes.ts';
import type { Attempt } from './attempt.ts';
import { newTally } from './tally.ts';

const FAULT: Fault = { do: 'crash', at: 'controller/update/a#1!sent' };
const SCHEDULE: Schedule = { ...EMPTY_SCHEDULE, faults: [FAULT] };
const VIOLATION = violation();
const FAILS: Judged = { history: emptyHistory('none'), violations: [VIOLATION], inconclusive: new Map() };
const SUSPECT: Suspect = {
  violation: VIOLATION,
  causes: { candidates: [ownCause(VIOLATION)], certain: false },
};
const FAILED: StoredFailure = {
  trial: { workload: { version: 1, start: 'settled', sample: [], programs: [] }, schedule: SCHEDULE },
  judged: FAILS,
  schedule: SCHEDULE,
  suspects: [SUSPECT],
};
/** The runner for a process, whose runs differ. */
const runner = { mode: REAL_MODE } as TrialRunner;

function prove(attempt: Attempt, more: Partial<ProofOptions> = {}, pending = 1): Promise<Found> {
  const options: ProofOptions = {
    ...{ runner, properties: [], shrinkMs: null, onPhase: () => {}, stopped: () => false },
    ...{ provedUntil: Number.POSITIVE_INFINITY, cutAt: (_, work) => work() },
    ...more,
  };
  return findingOf(FAILED, SUSPECT, options, attempt, newTally(), pending);
}

/** Returns an attempt that fails while the fault is in the schedule; after `runsMax` runs, attempts are cut short. */
function failing(runsMax: number): Attempt {
  let runs = 0;
  return (trial, _, times) => {
    const made = Math.max(0, Math.min(times, runsMax - runs));
    runs += made;
    const judged = trial.schedule.faults.length > 0 ? FAILS : { ...FAILS, violations: [] };
    return Promise.resolve(Array.from({ length: made }, () => judged));
  };
}

describe('proving a finding', () => {
  it('leaves nothing out where there is time', async () => {
    const found = await prove(failing(1_000));

    expect(found.stats.reproduced).toEqual({ k: 10, n: 10 });
    expect(found.left).toBeUndefined();
  });

  it('says so where it was neither shrunk nor run as often as usual', async () => {
    // There is no time left to shrink, and only one run for reproducing.
    const found = await prove(failing(1), { provedUntil: realNow() - 1 });

    expect(found.left).toEqual(['shrink', 'proof']);
    expect(found.stats).toMatchObject({ reproduced: { k: 1, n: 1 }, executions: 1 });
  });

  it('counts the runs that a form was accepted for where none came to its end after them', async () => {
    let runs = 0;
    const attempt: Attempt = (_, __, times) =>
      Promise.resolve(runs++ === 0 ? Array.from({ length: times }, () => FAILS) : []);
    const outOfTime = (): boolean => runs > 0;

    const found = await prove(attempt, { stopped: outOfTime });

    expect(found.stats.reproduced).toEqual({ k: 2, n: 2 });
    expect(found.left).toEqual(['shrink', 'proof']);
  });

  it('counts the runs of the form that was found where shrinking was cut short', async () => {
    let runs = 0;
    const attempt: Attempt = () => Promise.resolve(runs++ === 0 ? [FAILS] : []);

    const found = await prove(attempt, { stopped: () => runs > 0 });

    expect(found.stats.reproduced).toEqual({ k: 1, n: 1 });
    expect(found.trial.schedule).toEqual(SCHEDULE);
  });

  it('claims nothing of what was never run again', async () => {
    const found = await prove(() => Promise.resolve([]), { provedUntil: realNow() - 1 });

    expect(found.stats.reproduced).toEqual({ k: 0, n: 0 });
  });

  it.each([
    [300_000, 90_000],
    [120_000, 40_000],
    [20_000, 15_000],
    [0, 90_000],
    [-5_000, 90_000],
  ])('leaves time to search: with %i ms of search left it shrinks for at most %i ms', (left, most) => {
    expect(REAL_MODE.proof.shrinkMs(left)).toBe(most);
  });

  it('shares the time that is left among the findings that are to be made', async () => {
    const until: number[] = [];
    const cutAt: ProofOptions['cutAt'] = (at, work) => {
      until.push(at);
      return work();
    };
    const now = realNow();

    await prove(failing(1_000), { cutAt, provedUntil: now + 40_000 }, 4);

    // Half of the finding's share of the time is for shrinking; the rest is for reproducing.
    expect(until[0]).toBeLessThanOrEqual(now + 5_000 + 1_000);
    expect(Math.max(...until)).toBeLessThanOrEqual(now + 10_000 + 1_000);
  });
});
