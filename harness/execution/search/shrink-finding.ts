/**
 * Shrinks one finding: pins its signature, stays within a budget, reproduces the result.
 *
 * Owns: what counts as "still fails", and how many runs are made. Does not own: the candidates (`schedule/shrink.ts`).
 */
import type { Violation } from '../../model/check-result.ts';
import type { Counterfactual, Grade, Neighbour } from '../../model/finding.ts';
import { isWrite, phaseStart } from '../../model/history.ts';
import type { History } from '../../model/history.ts';
import { roleOf } from '../../model/actor.ts';
import { ANSWERED, SENT } from '../../model/label.ts';
import type { Label } from '../../model/label.ts';
import { deviationText } from '../../model/schedule.ts';
import type { Fault, Hold, Preemption, Schedule } from '../../model/schedule.ts';
import { isUndisturbed, type Trial } from '../../model/trial.ts';
import { lagInstead, shortenHolds } from '../../schedule/shrink-lag.ts';
import { shrinkTrial } from '../../schedule/shrink.ts';
import { historyText } from '../run/fingerprint.ts';
import type { Judged } from '../run/judge.ts';
import type { FailRule, ProofPolicy, Tried } from '../run/run-mode.ts';
import type { Attempt } from './attempt.ts';

/** The violation that a run has to show. */
export interface Wanted {
  readonly property: string;
  /** Returns the violation if a judged run shows it. */
  in(judged: Judged): Violation | undefined;
}

export interface Shrunk {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation;
  readonly executions: number;
  /** How often the form failed in the runs in which it was accepted; absent if it was not tried. */
  readonly tried?: Tried;
}

/** The maximum number of runs, enough for nearly every finding; other findings stay a little larger than necessary. */
const EXECUTIONS_MAX = 160;

/** After this many runs without a failure, reproducing may end for lack of time. */
const IN_VAIN = 4;

export interface ShrinkOptions {
  readonly attempt: Attempt;
  readonly outOfTime: () => boolean;
  readonly proof: Pick<ProofPolicy, 'first' | 'smaller'>;
  /** Whether holds keep their length during shrinking. */
  readonly keepHolds: boolean;
  /** Called with the results of the trial as given, even if it failed too rarely or there was too little time. */
  readonly onFirst?: (tried: Tried) => void;
}

/**
 * Shrinks a failing trial with a stored schedule. Returns all forms that were accepted, the smallest last; none if the trial does not show
 * the wanted violation, or shows it too rarely to be sure.
 */
export async function shrinkFinding(
  start: Trial,
  wanted: Wanted,
  { attempt, outOfTime, proof, keepHolds, onFirst }: ShrinkOptions,
): Promise<readonly Shrunk[]> {
  const accepted: Shrunk[] = [];
  let executions = 0;
  const tries = async (trial: Trial, { need, of }: FailRule): Promise<Tried & { readonly fails: boolean }> => {
    let failed = 0;
    let made = 0;
    for (;;) {
      const enough = (runs: readonly Judged[]): boolean => runs.length > 0 && outOfTime();
      for (const judged of await attempt(trial, wanted.property, need - failed, enough)) {
        executions++;
        made++;
        const violation = wanted.in(judged);
        // A warning is not a smaller form of an error, unless it shows that the violation needs no disturbance.
        if (violation === undefined || (violation.severity === 'warning' && !isUndisturbed(trial))) continue;
        failed++;
        if (failed < need) continue;
        const tried = { k: failed, n: made };
        accepted.push({ trial, history: judged.history, violation, executions, tried });
      }
      const fails = failed >= need;
      if (fails || made - failed > of - need || outOfTime()) return { fails, k: failed, n: made };
    }
  };
  // If several failing runs are needed as proof, the trial as found has to be repeated first, and no time is left for that.
  if (proof.first.need > 1 && outOfTime()) return [];
  const first = await tries(start, proof.first);
  onFirst?.(first);
  if (!first.fails) return [];
  const rule = proof.smaller(first);
  const walk = async (candidates: Generator<Trial, Trial, boolean>): Promise<void> => {
    let next = candidates.next();
    while (next.done !== true && executions < EXECUTIONS_MAX && !outOfTime()) {
      next = candidates.next((await tries(next.value, rule)).fails);
    }
  };
  const dropUnused = async (): Promise<Trial> => {
    const { trial, history } = accepted.at(-1) ?? { trial: start, history: undefined };
    const used = withoutMissed(trial, history?.missed ?? []);
    if (used !== trial) await tries(used, rule);
    return accepted.at(-1)?.trial ?? start;
  };
  await walk(shrinkTrial(await dropUnused()));
  await dropUnused();
  const small = accepted.at(-1);
  if (small !== undefined) await walk(lagInstead(small.trial, streamsOf(small.history)));
  const best = accepted.at(-1);
  if (best !== undefined && !keepHolds) await walk(shortenHolds(best.trial, momentsOf(best.history)));
  return accepted.map((shrunk) => ({ ...shrunk, executions }));
}

/** Returns the trial without the deviations that never occurred; the same trial if all of them did. */
function withoutMissed(trial: Trial, missed: readonly Label[]): Trial {
  if (missed.length === 0) return trial;
  const unused = new Set(missed);
  const { preemptions, holds, faults } = trial.schedule;
  return {
    ...trial,
    schedule: {
      ...trial.schedule,
      preemptions: preemptions.filter(({ before, after }) => !unused.has(before ?? after ?? '')),
      holds: holds.filter(({ stream }) => !unused.has(stream)),
      faults: faults.filter(({ at }) => !unused.has(at)),
    },
  };
}

/** Returns the watches on which the target received events during contention. */
function streamsOf({ deliveries }: History): readonly Label[] {
  const delivered = deliveries.filter(({ actor, k }) => k >= 0 && roleOf(actor) === 'target');
  return [...new Set(delivered.map(({ stream }) => stream))];
}

/**
 * Returns the labels at which the lag of a watch may end: writes of the target reaching the server, and answers to writes of other actors.
 */
function momentsOf(history: History): readonly Label[] {
  const since = phaseStart(history, 'contention');
  const until = phaseStart(history, 'heal');
  return history.operations
    .flatMap(({ actor, verb, label, sent, answered }) => {
      if (!isWrite(verb)) return [];
      const own = roleOf(actor) === 'target';
      const at = own ? sent?.at : answered?.at;
      return at === undefined || at < since || at > until ? [] : [{ at, label: label + (own ? SENT : ANSWERED) }];
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ label }) => label);
}

/**
 * Runs the shrunk trial several times. A run is deterministic if its histories are byte-identical.
 *
 * @param hurried Returns true to end this early, but not before one failure, or a few runs without a failure.
 */
export async function reproduce(
  shrunk: Shrunk,
  wanted: Wanted,
  attempt: Attempt,
  times: number,
  hurried: () => boolean = () => false,
): Promise<{
  readonly k: number;
  readonly n: number;
  readonly identical: boolean;
  readonly other: History | undefined;
}> {
  const expected = historyText(shrunk.history);
  let k = 0;
  let n = 0;
  let other: History | undefined;
  // A milder form of the violation is another finding.
  const fails = (judged: Judged): boolean => wanted.in(judged)?.severity === shrunk.violation.severity;
  const enough = (made: readonly Judged[]): boolean => hurried() && (made.length >= IN_VAIN || made.some(fails));
  // All runs are requested at once, so that no lane waits for another one.
  for (const judged of await attempt(shrunk.trial, wanted.property, times, enough)) {
    n++;
    if (fails(judged)) k++;
    if (historyText(judged.history) !== expected) other ??= judged.history;
  }
  return { k, n, identical: other === undefined, other };
}

/** The results of leaving out one deviation at a time. */
export interface Without {
  readonly counterfactuals: readonly Counterfactual[];
  readonly neighbour?: Neighbour;
}

/**
 * Runs the trial without each single deviation, as evidence of 1-minimality. A deviation "passes" if all runs without it pass. The
 * neighbour is the passing run without the last necessary preemption or, if there is none, without the last hold or fault: the last
 * deviation decides the outcome.
 */
export async function counterfactuals(
  shrunk: Shrunk,
  wanted: Wanted,
  attempt: Attempt,
  tries: number,
  hurried: () => boolean = () => false,
): Promise<Without> {
  const { schedule } = shrunk.trial;
  const out: Counterfactual[] = [];
  const passing: { readonly kind: string; readonly neighbour: Neighbour }[] = [];
  for (const { kind, deviation, without } of withoutEach(schedule)) {
    if (hurried()) break;
    let result: Counterfactual['without'] = 'passes';
    let history: History | undefined;
    const made = await attempt({ ...shrunk.trial, schedule: without }, wanted.property, tries);
    // If a run was cut short, it is unknown whether all would have passed.
    if (made.length < tries) break;
    for (const judged of made) {
      const same = wanted.in(judged)?.severity === shrunk.violation.severity;
      const passes = judged.violations.length === 0 && judged.inconclusive.size === 0;
      if (same) result = 'still fails';
      else if (!passes && result === 'passes') result = 'other';
      history ??= judged.history;
    }
    out.push({ deviation, without: result });
    if (result === 'passes' && history !== undefined)
      passing.push({ kind, neighbour: neighbourOf(deviation, history) });
  }
  const last = passing.findLast(({ kind }) => kind === 'preemption') ?? passing.at(-1);
  return { counterfactuals: out, ...(last === undefined ? {} : { neighbour: last.neighbour }) };
}

/** Returns the neighbour with only the parts by which two runs are compared; the rest would double the size of each record. */
function neighbourOf(without: string, history: History): Neighbour {
  const { reference: _reference, logs: _logs, measurements: _measurements, extra: _extra, ...rest } = history;
  return { without, history: { ...rest, deliveries: [], streamEnds: [], processes: [], decisions: [], probes: [] } };
}

interface LeftOut {
  readonly kind: 'preemption' | 'hold' | 'fault';
  readonly deviation: string;
  /** The schedule without this deviation. */
  readonly without: Schedule;
}

function withoutEach(schedule: Schedule): readonly LeftOut[] {
  const { preemptions, holds, faults } = schedule;
  const each = <D extends Preemption | Hold | Fault>(
    kind: LeftOut['kind'],
    deviations: readonly D[],
    rest: (left: readonly D[]) => Partial<Schedule>,
  ): readonly LeftOut[] =>
    deviations.map((deviation, at) => ({
      kind,
      deviation: deviationText(deviation),
      without: { ...schedule, ...rest(deviations.toSpliced(at, 1)) },
    }));
  return [
    ...each('preemption', preemptions, (left) => ({ preemptions: left })),
    ...each('hold', holds, (left) => ({ holds: left })),
    ...each('fault', faults, (left) => ({ faults: left })),
  ];
}

const RESTART_FAULTS: ReadonlySet<Fault['do']> = new Set(['crash', 'start-replica', 'pause', 'stale-list']);
/** The lag or delay, in ms of run time, beyond which conditions no longer count as everyday. */
const EVERYDAY_LAG_MS = 30_000;

/** Returns the grade of a run: how unusual its conditions are. */
export function gradeOf(schedule: Schedule, history: History): Grade {
  const lag = Math.max(0, ...history.deliveries.map((delivery) => delivery.timeMs - delivery.available.timeMs));
  const late = Math.max(0, ...schedule.faults.map((fault) => (fault.do === 'delay' ? fault.forMs : 0)));
  if (Math.max(lag, late) > EVERYDAY_LAG_MS) return 'pathological';
  return schedule.faults.some((fault) => RESTART_FAULTS.has(fault.do)) ? 'restart-or-HA' : 'everyday';
}
