/**
 * Warm trials: run on a process that has lived through the ones before, looked at quickly, and made again on a fresh one when
 * anything about them is suspicious.
 *
 * Owns: what is suspicious. What a property asks for that only more time or another process can tell is, once half a second more has
 * not fixed it. Start at {@link runWarm}.
 */
import type { History } from '../../model/history.ts';
import type { ProbeResult } from '../../model/probe.ts';
import type { Reference } from '../../model/reference.ts';
import type { Schedule } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import { judge } from '../../oracle/compose.ts';
import type { Property } from '../../oracle/property.ts';
import type { Judged } from '../run/judge.ts';
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
/** Questions that are answered once for many runs. */
const CHEAP: ReadonlySet<string> = new Set(['expected-state', 'drift']);
/** A property may ask again after an answer, but not for ever. */
const ROUNDS_MAX = 4;

export async function runWarm(
  runner: TrialRunner,
  trial: Trial,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
): Promise<WarmRun> {
  const look = (history: History): Promise<Judged | undefined> =>
    judgeQuickly(trial, history, properties, reference, prober);
  // A run that never comes to rest, or is cut short, is not looked at: a fresh process has to say what that is.
  let judged: Judged | undefined;
  const { history, schedule } = await runner.deriveWarm(trial, {
    atRest: async (live) => {
      judged = (await look(live.history)) ?? (await look((await live.settleOn(LONGER_MS)).history));
    },
  });
  return { history, schedule, judged };
}

/** Undefined when anything about the run is suspicious. */
async function judgeQuickly(
  trial: Trial,
  run: History,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
): Promise<Judged | undefined> {
  let history: History = { ...run, reference, probes: prober.known(run) };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const probes: ProbeResult[] = [];
    const inconclusive = new Map<string, string>();
    for (const { property, result } of judge(history, properties)) {
      if (result.result === 'violated' && result.violations.some(({ severity }) => severity === 'error'))
        return undefined;
      if (result.result !== 'inconclusive') continue;
      inconclusive.set(property.name, result.reason);
      const needs = result.needs ?? [];
      if (needs.some(({ probe }) => !CHEAP.has(probe))) return undefined;
      for (const need of needs) probes.push(await prober.probe(need, trial, history));
    }
    if (probes.length === 0) return { history: run, violations: [], inconclusive };
    history = { ...history, probes: [...history.probes, ...probes] };
  }
  return undefined;
}
