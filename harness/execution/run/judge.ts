/**
 * Judging one run: ask the properties, make the probes they need, ask again.
 *
 * Owns: the loop and its bound. Does not own: what properties say (`oracle`, `properties/`), how probes run (`prober.ts`).
 */
import type { Violation } from '../../model/check-result.ts';
import { signatureText } from '../../model/signature.ts';
import type { History } from '../../model/history.ts';
import type { ProbeRequest, ProbeResult } from '../../model/probe.ts';
import type { Reference } from '../../model/reference.ts';
import type { Schedule } from '../../model/schedule.ts';
import { isUndisturbed, type Trial } from '../../model/trial.ts';
import { judge as judgeProperties } from '../../oracle/compose.ts';
import type { Property } from '../../oracle/property.ts';
import { inUndisturbedRun } from '../../oracle/undisturbed.ts';
import { unlessTimeIsOver } from './cut-short.ts';
import type { Prober } from './prober.ts';
import type { TrialRunner } from './runner.ts';
import type { Live } from './live.ts';

/** A property may ask again after an answer, but not for ever. */
const ROUNDS_MAX = 8;
/** What is asked for again and again was cut short each time (`search/waiting.ts`). */
const HURRIED = 'the search had no time left for a longer run; give it a longer --budget';

export interface Judged {
  /** With the reference and all probe results. */
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Property name → why it is inconclusive. */
  readonly inconclusive: ReadonlyMap<string, string>;
  /** Its time was over before all was looked at that properties asked for. */
  readonly isCut?: true;
}

export interface JudgedRun {
  /** As it was made, without what judging adds. */
  readonly run: History;
  readonly judged: Judged;
  /** What it amounted to as a stored schedule; where runs can be repeated, it is run again for that. */
  readonly schedule: () => Promise<Schedule>;
}

/**
 * Runs a trial and judges it: afterwards where it can be made again, else while it still stands.
 *
 * @param want `derived`: a searched run comes with a schedule also where that could be had later, by running it again.
 */
export async function runJudged(
  runner: TrialRunner,
  trial: Trial,
  judge: (run: History, live?: Live) => Promise<Judged>,
  want: 'derived' | 'history' = 'history',
): Promise<JudgedRun> {
  let judged: Judged | undefined;
  const variant = !runner.judgesLive
    ? {}
    : {
        atRest: async (live: Live): Promise<void> => {
          judged = await judge(live.history, live);
        },
      };
  const isSearched = trial.search !== undefined;
  const { history, schedule } =
    isSearched && (want === 'derived' || runner.mode.derivesAtOnce)
      ? await runner.derive(trial, variant)
      : { history: await runner.run(trial, variant), schedule: isSearched ? undefined : trial.schedule };
  const { measurements } = history;
  // The last look at a process comes after judging.
  if (judged !== undefined && measurements !== undefined)
    judged = { ...judged, history: { ...judged.history, measurements } };
  return {
    run: history,
    judged: judged ?? (await judge(history)),
    schedule: async () => schedule ?? (await runner.derive(trial)).schedule,
  };
}

/** Judges a history. `live` is the run itself where it still stands. */
export async function judgeRun(
  trial: Trial,
  run: History,
  properties: readonly Property[],
  reference: Reference,
  prober: Prober,
  live?: Live,
): Promise<Judged> {
  let history: History = { ...run, reference, probes: prober.known(run) };
  const made = new Set<string>();
  const cutShort = new Set<string>();
  let isCut = false;
  for (let round = 0; ; round++) {
    const violations: Violation[] = [];
    const inconclusive = new Map<string, string>();
    const needs: ProbeRequest[] = [];
    const hurried = new Set<string>();
    for (const { property, result } of judgeProperties(history, properties)) {
      if (result.result === 'holds') continue;
      const open = (result.needs ?? []).filter((need) => !made.has(JSON.stringify(need)));
      if (result.result === 'inconclusive') inconclusive.set(property.name, result.reason);
      else if (open.length === 0) violations.push(...result.violations);
      else inconclusive.set(property.name, 'a violation could not be checked by further runs');
      for (const need of open) {
        needs.push(need);
        if (isCut || cutShort.has(JSON.stringify(need))) hurried.add(property.name);
      }
    }
    if (needs.length === 0 || isCut || round >= ROUNDS_MAX) {
      for (const name of hurried) inconclusive.set(name, `${inconclusive.get(name) ?? ''}: ${HURRIED}`);
      const told = withoutSuperseded(distinct(violations), properties);
      const weighed = isUndisturbed(trial) ? told.map((violation) => inUndisturbedRun(violation, properties)) : told;
      return { history, violations: weighed, inconclusive, ...(isCut ? { isCut } : {}) };
    }
    const results = [];
    for (const need of inOrder(needs, live)) {
      const key = JSON.stringify(need);
      if (made.has(key)) continue;
      const result = await prober.probe(need, trial, history, live).catch(unlessTimeIsOver);
      if (result === undefined) {
        isCut = true;
        break;
      }
      // Of a run that still stands a first look is taken before all the time is spent.
      if (!isPartial(need, result)) made.add(key);
      else cutShort.add(key);
      results.push(result);
    }
    history = { ...history, probes: [...history.probes, ...results] };
  }
}

/** Whoever takes over ends what more time could have shown. */
function inOrder(needs: readonly ProbeRequest[], live: Live | undefined): readonly ProbeRequest[] {
  const waits = live !== undefined && needs.some(({ probe }) => probe === 'extended-settle');
  return waits ? needs.filter(({ probe }) => probe !== 'fresh-incarnation') : needs;
}

function isPartial(need: ProbeRequest, result: ProbeResult): boolean {
  return need.probe === 'extended-settle' && result.probe === 'extended-settle' && result.windowMs < need.windowMs;
}

function distinct(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return violations.filter((violation) => {
    const text = signatureText(violation.signature);
    return !seen.has(text) && seen.add(text);
  });
}

/** One finding per cause: the property that knows the cause speaks for the one that only sees the outcome. */
function withoutSuperseded(violations: readonly Violation[], properties: readonly Property[]): readonly Violation[] {
  const told = new Set<string>();
  for (const { signature } of violations) {
    const by = properties.find(({ name }) => name === signature.property);
    for (const property of by?.supersedes ?? []) told.add(signatureText({ ...signature, property }));
  }
  return told.size === 0 ? violations : violations.filter(({ signature }) => !told.has(signatureText(signature)));
}
