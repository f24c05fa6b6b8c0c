/**
 * Shrinks one finding: pins its signature, keeps to a budget, reproduces the result.
 *
 * Owns: what counts as "still fails" and how often a run is made. The candidates come from `schedule/shrink.ts`.
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

/** What a run is asked for. */
export interface Wanted {
  readonly property: string;
  /** The violation in question, where a judged run has it. */
  in(judged: Judged): Violation | undefined;
}

export interface Shrunk {
  readonly trial: Trial;
  readonly history: History;
  readonly violation: Violation;
  readonly executions: number;
  /** How often it failed in the runs that it was accepted for; absent where it was not tried. */
  readonly tried?: Tried;
}

/** Enough for nearly every finding; what is left over stays a little larger than it could be. */
const EXECUTIONS_MAX = 160;

/** Reproducing looks at the clock after so many runs. */
const AT_ONCE = 4;

export interface ShrinkOptions {
  readonly attempt: Attempt;
  readonly outOfTime: () => boolean;
  readonly proof: Pick<ProofPolicy, 'first' | 'smaller'>;
  /** Whether holds stay as long as they are. */
  readonly keepHolds: boolean;
  /** Hears how often the trial failed as it was given, also where that was too seldom, or time was too short. */
  readonly onFirst?: (tried: Tried) => void;
}

/**
 * Shrinks a failing trial with a stored schedule: all that was accepted on the way, the smallest last. Empty when it does not fail
 * like this, or not often enough to tell.
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
        // A warning is no form of an error, unless it says that nothing has to disturb the target for this.
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
  // Where one run that fails is no shrunk form yet, it takes as long as the proof of the form that was found.
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

/** The trial without the deviations that never came about; the same one when all did. */
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

/** The watches on which the target heard something under contention. */
function streamsOf({ deliveries }: History): readonly Label[] {
  const heard = deliveries.filter(({ actor, k }) => k >= 0 && roleOf(actor) === 'target');
  return [...new Set(heard.map(({ stream }) => stream))];
}

/** What the lag of a watch may end with: writes of the target that reached the server, and what others were answered. */
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
 * Runs the shrunk trial again and again; byte-equal histories are what "deterministic" means.
 *
 * @param hurried Ends it early, but not before it has failed once more, or not failed in the first few runs.
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
  // A milder form of it is not the same finding.
  const fails = (judged: Judged): boolean => wanted.in(judged)?.severity === shrunk.violation.severity;
  const enough = (made: readonly Judged[]): boolean => hurried() && (k > 0 || n >= AT_ONCE || made.some(fails));
  while (n < times && !enough([])) {
    const made = await attempt(shrunk.trial, wanted.property, Math.min(AT_ONCE, times - n), enough);
    // What was cut short says nothing, and no further run would come to its end.
    if (made.length === 0) break;
    for (const judged of made) {
      n++;
      if (fails(judged)) k++;
      if (historyText(judged.history) !== expected) other ??= judged.history;
    }
  }
  return { k, n, identical: other === undefined, other };
}

/** What leaving out one deviation at a time shows. */
export interface Without {
  readonly counterfactuals: readonly Counterfactual[];
  readonly neighbour?: Neighbour;
}

/**
 * What the run does without each single deviation: 1-minimality as evidence. It passes when it does so each time. The last preemption
 * that is needed gives the neighbour, else the last hold or fault: what comes last decides.
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
    let said: Counterfactual['without'] = 'passes';
    let history: History | undefined;
    const made = await attempt({ ...shrunk.trial, schedule: without }, wanted.property, tries);
    // "Passes each time" is not known of one that was cut short.
    if (made.length < tries) break;
    for (const judged of made) {
      const same = wanted.in(judged)?.severity === shrunk.violation.severity;
      const passes = judged.violations.length === 0 && judged.inconclusive.size === 0;
      if (same) said = 'still fails';
      else if (!passes && said === 'passes') said = 'other';
      history ??= judged.history;
    }
    out.push({ deviation, without: said });
    if (said === 'passes' && history !== undefined) passing.push({ kind, neighbour: neighbourOf(deviation, history) });
  }
  const last = passing.findLast(({ kind }) => kind === 'preemption') ?? passing.at(-1);
  return { counterfactuals: out, ...(last === undefined ? {} : { neighbour: last.neighbour }) };
}

/** What two runs are compared by; the rest would double each record. */
function neighbourOf(without: string, history: History): Neighbour {
  const { reference: _reference, logs: _logs, measurements: _measurements, extra: _extra, ...rest } = history;
  return { without, history: { ...rest, deliveries: [], streamEnds: [], processes: [], decisions: [], probes: [] } };
}

interface LeftOut {
  readonly kind: 'preemption' | 'hold' | 'fault';
  readonly deviation: string;
  /** The schedule without it. */
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
/** Lag beyond this much run time, or a failure this lasting, is not everyday life. */
const EVERYDAY_LAG_MS = 30_000;

/** How unusual the conditions are. */
export function gradeOf(schedule: Schedule, history: History): Grade {
  const lag = Math.max(0, ...history.deliveries.map((delivery) => delivery.timeMs - delivery.available.timeMs));
  const late = Math.max(0, ...schedule.faults.map((fault) => (fault.do === 'delay' ? fault.forMs : 0)));
  if (Math.max(lag, late) > EVERYDAY_LAG_MS) return 'pathological';
  return schedule.faults.some((fault) => RESTART_FAULTS.has(fault.do)) ? 'restart-or-HA' : 'everyday';
}
