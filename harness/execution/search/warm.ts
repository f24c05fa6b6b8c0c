/**
 * Warm trials: run on a process that has lived through the ones before, looked at quickly, and made again on a fresh one when
 * anything about them is suspicious.
 *
 * Owns: what is suspicious. What a property asks for that only more time or another process can tell is, once half a second more has
 * not fixed it. Start at {@link runWarm}.
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
  /** What the run amounted to. */
  readonly schedule: Schedule;
  /** What the properties say of it; absent where that is for a fresh process to show. */
  readonly judged: Judged | undefined;
}

/** What a suspect is given before a fresh process has to show it. */
const LONGER_MS = 500;
/** Only what is answered once for many runs is asked. */
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
  // A run that never comes to rest, or is cut short, is not looked at: a fresh process has to say what that is.
  let judged: Judged | undefined;
  const { history, schedule } = await runner.deriveWarm(trial, {
    atRest: async (live) => {
      judged = (await look(live.history)) ?? (await look((await live.settleOn(LONGER_MS)).history));
    },
  });
  return { history, schedule, judged };
}
