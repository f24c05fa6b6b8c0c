/**
 * Runs warm trials: on a process that has been through earlier runs, judged with few probes, and again on a fresh process if anything is
 * suspicious.
 *
 * Owns: what counts as suspicious. A violation that only more time or another process could rule out is suspicious if it is still there
 * after another half second. Start at {@link runWarm}.
 */
import type { History } from '../../model/history.ts';
import type { Reference } from '../../model/reference.ts';
import type { Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Property } from '../../oracle/property.ts';
import { judgeBy, type Judged, type JudgingPolicy } from '../run/judge.ts';
import type { Prober } from '../run/prober.ts';
import type { TrialRunner } from '../run/runner.ts';

export interface WarmRun {
  readonly history: History;
  /** The run, expressed as a stored schedule. */
  readonly schedule: Schedule;
  /** The results of the properties; absent if a fresh process has to decide. */
  readonly judged: Judged | undefined;
}

/** How much longer a warm run with a violation is observed at rest before a fresh process has to decide, in ms. */
const LONGER_MS = 500;
/** Allows only probes whose results are shared by many runs. */
const QUICK: JudgingPolicy = { roundsMax: 3, probes: new Set(['expected-state', 'drift']) };

export async function runWarm(
  runner: TrialRunner,
  trial: Trial,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
): Promise<WarmRun> {
  const look = async (history: History): Promise<Judged | undefined> => {
    const judged = await judgeBy(QUICK, trial, history, properties, reference, prober);
    return judged && { ...judged, history };
  };
  // A run that never comes to rest or is cut short is not judged; a fresh process has to decide.
  let judged: Judged | undefined;
  const { history, schedule } = await runner.deriveWarm(trial, {
    atRest: async (live) => {
      judged = (await look(live.history)) ?? (await look((await live.settleOn(LONGER_MS)).history));
    },
  });
  return { history, schedule, judged };
}
