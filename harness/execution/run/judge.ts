/**
 * Judges one run: evaluates the properties, makes the probes that they request, and evaluates them again.
 *
 * Owns: the loop and its limit. Does not own: what properties check (`oracle`, `properties/`), how probes run (`prober.ts`).
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

/**
 * Added to the reason of an inconclusive property if the budget left too little time for the longer run that it requested
 * (`search/waiting.ts`).
 */
const HURRIED = 'the search had no time left for a longer run; give it a longer --budget';
const TOO_BUSY = 'it does too much at each poll to be observed for longer';

/** The maximum number of rounds in which properties may request more probes. */
const ROUNDS_MAX = 10;

export interface Judged {
  /** The history with the reference and all probe results. */
  readonly history: History;
  readonly violations: readonly Violation[];
  /** Maps a property's name to the reason why it is inconclusive. */
  readonly inconclusive: ReadonlyMap<string, string>;
  /** The kinds of differences in the final state that are errors, if there are any. */
  readonly convicted?: readonly string[];
  /** Set if the run's time was over before all requested probes were made. */
  readonly isCut?: true;
}

/** How often a run on a real server is made whose changes became known in another order. */
const TRIES_MAX = 3;

export interface JudgedRun {
  /** The history of the run itself, without what judging adds. */
  readonly run: History;
  readonly judged: Judged;
  /** Returns the run as a stored schedule. Runs the trial again to derive it unless that has been done already. */
  readonly schedule: () => Promise<Schedule>;
}

/**
 * Runs a trial and judges the run: after it has ended if it can be repeated, otherwise while it is still open.
 *
 * @param want If `derived`, the schedule of a searched run is returned at once, even if it could be derived later by running it again.
 */
export async function runJudged(
  runner: TrialRunner,
  trial: Trial,
  judge: (run: History, live?: Live) => Promise<Judged>,
  want: 'derived' | 'history' = 'history',
): Promise<JudgedRun> {
  for (let tries = 1; ; tries++) {
    const made = await runJudgedOnce(runner, trial, judge, want);
    // A history whose changes became known in another order than they were made is not a legal one.
    const isLegal = runner.host.cluster.isOutOfOrder?.() !== true;
    if (isLegal || made.run.settlement.result === 'cut-short' || tries >= TRIES_MAX) return made;
  }
}

async function runJudgedOnce(
  runner: TrialRunner,
  trial: Trial,
  judge: (run: History, live?: Live) => Promise<Judged>,
  want: 'derived' | 'history',
): Promise<JudgedRun> {
  let judged: Judged | undefined;
  const atRest = async (live: Live): Promise<void> => {
    judged = await judge(live.history, live);
  };
  const variant = runner.judgesLive ? { atRest } : {};
  const isSearched = trial.search !== undefined;
  const { history, schedule } =
    isSearched && (want === 'derived' || runner.mode.derivesAtOnce)
      ? await runner.derive(trial, variant)
      : { history: await runner.run(trial, variant), schedule: isSearched ? undefined : trial.schedule };
  const { measurements } = history;
  // The last measurement of a process is made after judging, so it is added to the judged history here.
  if (judged !== undefined && measurements !== undefined)
    judged = { ...judged, history: { ...judged.history, measurements } };
  return {
    run: history,
    judged: judged ?? (await judge(history)),
    schedule: async () => schedule ?? (await runner.derive(trial)).schedule,
  };
}

/** Judges a history. `live` is the run itself if it is still open. */
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
    const convicted: string[] = [];
    for (const { property, result } of judgeProperties(history, properties)) {
      if (result.result === 'holds') continue;
      const open = (result.needs ?? []).filter((need) => !made.has(JSON.stringify(need)));
      if (result.result === 'inconclusive') inconclusive.set(property.name, result.reason);
      else if (open.length === 0) {
        violations.push(...result.violations);
        convicted.push(...(result.convicted ?? []));
      } else inconclusive.set(property.name, 'a violation could not be checked by further runs');
      for (const need of open) {
        needs.push(need);
        if (isCut || cutShort.has(JSON.stringify(need))) hurried.add(property.name);
      }
    }
    if (needs.length === 0 || isCut || round >= ROUNDS_MAX) {
      const why = live === undefined || live.waitsForReal || isCut ? HURRIED : TOO_BUSY;
      for (const name of hurried) inconclusive.set(name, `${inconclusive.get(name) ?? ''}: ${why}`);
      const reported = withoutSuperseded(distinct(violations), properties);
      const weighed = isUndisturbed(trial)
        ? reported.map((violation) => inUndisturbedRun(violation, properties))
        : reported;
      return {
        history,
        violations: weighed,
        inconclusive,
        ...(convicted.length > 0 ? { convicted } : {}),
        ...(isCut ? { isCut } : {}),
      };
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
      // The first probe of a run that is still in progress may cover only a part of the requested window; it is then made again.
      if (!isPartial(need, result)) made.add(key);
      else cutShort.add(key);
      results.push(result);
    }
    history = { ...history, probes: [...history.probes, ...results] };
  }
}

/** Probes of an open run, each of which waits while an earlier one is requested too: the last one destroys the settled run. */
const ON_LIVE_RUN = ['extended-settle', 'left-alone', 'fresh-incarnation'] as const;

/** Returns the requested probes that may be made now. */
function inOrder(needs: readonly ProbeRequest[], live: Live | undefined): readonly ProbeRequest[] {
  if (live === undefined) return needs;
  const first = ON_LIVE_RUN.find((one) => needs.some(({ probe }) => probe === one));
  return needs.filter(({ probe }) => probe === first || !ON_LIVE_RUN.some((one) => one === probe));
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

/** Drops violations that another property explains: a property that knows the cause supersedes one that only sees the outcome. */
function withoutSuperseded(violations: readonly Violation[], properties: readonly Property[]): readonly Violation[] {
  const superseded = new Set<string>();
  for (const { signature } of violations) {
    const by = properties.find(({ name }) => name === signature.property);
    for (const property of by?.supersedes ?? []) superseded.add(signatureText({ ...signature, property }));
  }
  return superseded.size === 0
    ? violations
    : violations.filter(({ signature }) => !superseded.has(signatureText(signature)));
}
