/**
 * Warm trials: run on a process that has lived through the ones before, looked at quickly, and made again on a fresh one when
 * anything about them is suspicious.
 *
 * Owns: what is suspicious. What a property asks for that only more time or another process can tell is, once half a second more has
 * not mended it. Start at {@link runWarm}.
 */
import type { History } from '../model/history.ts';
import type { ProbeResult } from '../model/probe.ts';
import type { Reference } from '../model/reference.ts';
import type { Schedule } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import { judge } from '../oracle/compose.ts';
import type { Property } from '../oracle/property.ts';
import type { Prober } from './prober.ts';
import type { TrialRunner } from './runner.ts';

export interface WarmRun {
  readonly history: History;
  /** What the run amounted to. */
  readonly schedule: Schedule;
  readonly isSuspicious: boolean;
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
  const suspicious = (history: History): Promise<boolean> =>
    isSuspicious(trial, history, properties, reference, prober);
  let said = false;
  const { history, schedule } = await runner.deriveWarm(trial, {
    atRest: async (live) => {
      said = (await suspicious(live.history)) && (await suspicious((await live.settleOn(LONGER_MS)).history));
    },
  });
  return { history, schedule, isSuspicious: said };
}

async function isSuspicious(
  trial: Trial,
  run: History,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
): Promise<boolean> {
  let history: History = { ...run, reference, probes: prober.known(run) };
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const probes: ProbeResult[] = [];
    for (const { result } of judge(history, properties)) {
      if (result.result === 'violated' && result.violations.some(({ severity }) => severity === 'error')) return true;
      if (result.result !== 'inconclusive') continue;
      const needs = result.needs ?? [];
      if (needs.some(({ probe }) => !CHEAP.has(probe))) return true;
      for (const need of needs) probes.push(await prober.probe(need, trial, history));
    }
    if (probes.length === 0) return false;
    history = { ...history, probes: [...history.probes, ...probes] };
  }
  return true;
}
