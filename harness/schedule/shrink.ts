/**
 * Shrinks a failing trial: fewer programs, fewer deviations, simpler operations, shorter holds.
 *
 * Pure: a generator of candidates; after each one, the caller passes in whether it still fails. The campaign drives it with a budget and a
 * fixed signature (`execution/search/shrink-finding.ts`); the fast-check arbitrary turns it into a shrink stream (`arbitrary.ts`).
 */
import { laterOccurrence } from '../model/label.ts';
import { SHORT_PAUSE_MS } from './pauses.ts';
import { isConnectionFault, type Fault, type Hold, type Preemption, type Schedule } from '../model/schedule.ts';
import type { Trial } from '../model/trial.ts';
import type { Program } from '../model/workload.ts';
import { gentler } from './connection-faults.ts';
import { shorterDelayMs } from './delays.ts';
import { relabelled } from './relabel.ts';
import { ddmin } from './shrink-steps.ts';
import { shrinkWorkload } from './workload/shrink-workload.ts';

/** A deviation of any kind, so that they can be minimised as one list. */
type Deviation =
  | { readonly is: 'preemption'; readonly value: Preemption }
  | { readonly is: 'hold'; readonly value: Hold }
  | { readonly is: 'fault'; readonly value: Fault };

type Shrinking = Generator<Trial, Trial, boolean>;

/** Yields candidates for a trial with a stored schedule, each at most once. Returns the smallest trial that failed. */
export function* shrinkTrial(trial: Trial): Shrinking {
  // Stages overlap and each candidate costs a run, so answers are cached.
  const answers = new Map([[JSON.stringify(trial), true]]);
  const candidates = shrinkInStages(trial);
  let next = candidates.next();
  while (next.done !== true) {
    const text = JSON.stringify(next.value);
    let fails = answers.get(text);
    if (fails === undefined) {
      fails = yield next.value;
      answers.set(text, fails);
    }
    next = candidates.next(fails);
  }
  return next.value;
}

function* shrinkInStages(trial: Trial): Shrinking {
  let current = trial;
  current = yield* connectionsAlone(current);
  current = yield* oneHold(current);
  current = yield* shrinkPrograms(current);
  current = yield* shrinkDeviations(current);
  current = yield* settledStart(current);
  current = yield* mergeRuns(current);
  current = yield* simplifyWorkload(current);
  current = yield* simplifyDeviations(current);
  // With a simpler workload or hold, another deviation may have become unnecessary.
  return yield* shrinkDeviations(current);
}

/**
 * Tries the connection faults alone: a target that does not survive a broken connection needs no other deviation, and each run of such a
 * failure takes as long as client timeouts.
 */
function* connectionsAlone(trial: Trial): Shrinking {
  const { preemptions, holds, faults } = trial.schedule;
  const needed = faults.filter(isConnectionFault);
  if (needed.length === 0 || preemptions.length + holds.length + faults.length === needed.length) return trial;
  const alone: Trial = { ...trial, schedule: { ...trial.schedule, preemptions: [], holds: [], faults: needed } };
  return (yield alone) ? alone : trial;
}

/** From this many deviations on, it pays to try first whether the lag of one watch is enough. */
const MANY_DEVIATIONS = 6;

/** Tries one hold per stream, since a searched lag consists of dozens of holds of one stream. */
function* oneHold(trial: Trial): Shrinking {
  const { preemptions, holds, faults } = trial.schedule;
  if (preemptions.length + holds.length + faults.length < MANY_DEVIATIONS) return trial;
  const whole = new Map<string, Hold>();
  for (const hold of holds) {
    const known = whole.get(hold.stream);
    const earlier = known !== undefined && numberOf(known) <= numberOf(hold);
    if (!hold.stream.includes('!') && !earlier) whole.set(hold.stream, { ...hold, until: 'heal' });
  }
  if (whole.size === 0) return trial;
  const bare: Trial = { ...trial, schedule: { ...trial.schedule, preemptions: [], holds: [], faults: [] } };
  if (yield bare) return bare;
  for (const hold of whole.values()) {
    const candidate: Trial = { ...trial, schedule: { ...trial.schedule, preemptions: [], holds: [hold], faults: [] } };
    if (yield candidate) return candidate;
  }
  return trial;
}

/** Returns the number of the first held event. */
function numberOf({ from }: Hold): number {
  return Number(from.slice(1));
}

/**
 * Merges several runs of one actor at one anchor into one longer run: until the actor's operation completes, or up to the last run's end.
 */
function* mergeRuns(trial: Trial): Shrinking {
  let current = trial;
  for (let index = 0; index < current.schedule.preemptions.length; index++) {
    const { preemptions } = current.schedule;
    const first = preemptions[index];
    if (first === undefined) break;
    let end = index + 1;
    while (preemptions[end]?.run === first.run && sameAnchor(preemptions[end], first)) end++;
    if (end === index + 1) continue;
    const { until: _, ...whole } = first;
    const last = preemptions[end - 1]?.until;
    for (const merged of last === undefined ? [whole] : [whole, { ...whole, until: last }]) {
      const schedule = { ...current.schedule, preemptions: preemptions.toSpliced(index, end - index, merged) };
      const candidate: Trial = { ...current, schedule };
      if (!(yield candidate)) continue;
      current = candidate;
      break;
    }
  }
  return current;
}

function sameAnchor(a: Preemption | undefined, b: Preemption): boolean {
  return a?.before === b.before && a?.after === b.after;
}

/**
 * Tries a settled start: a run that starts at rest makes a shorter story. Event numbers differ there, so holds begin with the first event.
 */
function* settledStart(trial: Trial): Shrinking {
  if (trial.workload.start === 'settled') return trial;
  const holds = trial.schedule.holds.map((hold): Hold => ({ ...hold, from: '@0', until: 'heal' }));
  const streams = new Set<string>();
  const settled: Trial = {
    ...trial,
    workload: { ...trial.workload, start: 'settled' },
    schedule: { ...trial.schedule, holds: holds.filter(({ stream }) => !streams.has(stream) && streams.add(stream)) },
  };
  return (yield settled) ? settled : trial;
}

function* shrinkPrograms(trial: Trial): Shrinking {
  const candidate = (programs: readonly Program[]): Trial => ({
    ...trial,
    workload: { ...trial.workload, programs },
    schedule: withoutActors(trial.schedule, trial.workload.programs, programs),
  });
  return candidate(yield* mapped(ddmin(trial.workload.programs), candidate));
}

/** Drops preemptions of actors that no longer exist. */
function withoutActors(schedule: Schedule, before: readonly Program[], after: readonly Program[]): Schedule {
  const kept = new Set(after.map((program) => program.actor));
  const dropped = new Set(before.map((program) => program.actor).filter((actor) => !kept.has(actor)));
  if (dropped.size === 0) return schedule;
  return { ...schedule, preemptions: schedule.preemptions.filter(({ run }) => !dropped.has(run)) };
}

function* shrinkDeviations(trial: Trial): Shrinking {
  const candidate = (deviations: readonly Deviation[]): Trial => ({ ...trial, schedule: fromDeviations(deviations) });
  return candidate(yield* mapped(ddmin(toDeviations(trial.schedule)), candidate));
}

/** Adapts a generator over parts to one over trials. */
function* mapped<T>(parts: Generator<T, T, boolean>, toTrial: (part: T) => Trial): Generator<Trial, T, boolean> {
  let next = parts.next();
  while (next.done !== true) next = parts.next(yield toTrial(next.value));
  return next.value;
}

function* simplifyWorkload(trial: Trial): Shrinking {
  let current = trial;
  let improved = true;
  while (improved) {
    improved = false;
    for (const workload of shrinkWorkload(current.workload)) {
      const candidate: Trial = {
        ...current,
        workload,
        schedule: withoutActors(current.schedule, current.workload.programs, workload.programs),
      };
      // Once an operation is dropped, the second update may have become the first.
      for (const retargeted of [candidate, withLowerNumbers(candidate)]) {
        if (retargeted === undefined || !(yield retargeted)) continue;
        current = retargeted;
        improved = true;
        break;
      }
      if (improved) break;
    }
  }
  return current;
}

/** Returns the trial with every occurrence number lowered by one; undefined if that is impossible. */
function withLowerNumbers(trial: Trial): Trial | undefined {
  let changed = false;
  const lower = (label: string): string => {
    const lowered = laterOccurrence(label, -1);
    changed ||= lowered !== undefined;
    return lowered ?? label;
  };
  const schedule = relabelled(trial.schedule, (label, place) =>
    // A stream's number counts how often its watch was opened, so it is not lowered; a held request is an anchor like any other.
    place === 'held' && !label.includes('!') ? label : lower(label),
  );
  return changed ? { ...trial, schedule } : undefined;
}

/**
 * The most simplifications of one deviation, more than any hold or fault needs. Without a limit, a failure that does not depend on the size
 * of a hold would shrink for ever.
 */
const SIMPLER_MAX = 64;

function* simplifyDeviations(trial: Trial): Shrinking {
  let current = trial;
  const deviations = toDeviations(trial.schedule);
  for (let index = 0; index < deviations.length; index++) {
    for (let steps = 0; steps < SIMPLER_MAX; steps++) {
      const deviation = deviations[index];
      if (deviation === undefined) break;
      let accepted = false;
      for (const simpler of simplerDeviations(deviation)) {
        const changed = deviations.with(index, simpler);
        const candidate: Trial = { ...current, schedule: fromDeviations(changed) };
        if (yield candidate) {
          deviations[index] = simpler;
          current = candidate;
          accepted = true;
          break;
        }
      }
      if (!accepted) break;
    }
  }
  return current;
}

/** Yields simpler forms of one deviation, simplest first. */
function* simplerDeviations(deviation: Deviation): Generator<Deviation> {
  switch (deviation.is) {
    case 'preemption': {
      const { until: _, ...whole } = deviation.value;
      if (deviation.value.until !== undefined) yield { is: 'preemption', value: whole };
      const shorter = shorterDelayMs(deviation.value.forMs ?? 0);
      if (shorter !== undefined) yield { is: 'preemption', value: { ...deviation.value, forMs: shorter } };
      return;
    }
    case 'hold': {
      // Less lag is simpler: a later first event. A held request has no smaller form.
      const { value } = deviation;
      if (value.stream.includes('!')) return;
      yield { is: 'hold', value: { ...value, from: `@${Number(value.from.slice(1)) + 1}` } };
      return;
    }
    case 'fault': {
      if (isConnectionFault(deviation.value)) {
        for (const value of gentler(deviation.value)) yield { is: 'fault', value };
        return;
      }
      const { times, ...once } = deviation.value;
      if (times !== undefined && times > 1) yield { is: 'fault', value: once };
      if (once.do === 'fail' && once.retryAfterSeconds !== undefined) {
        const { retryAfterSeconds: _, ...plain } = once;
        yield { is: 'fault', value: times === undefined ? plain : { ...plain, times } };
      }
      if (once.do === 'pause' && once.forMs > SHORT_PAUSE_MS)
        yield { is: 'fault', value: { ...once, forMs: SHORT_PAUSE_MS, ...(times === undefined ? {} : { times }) } };
      const shorter = once.do === 'delay' ? shorterDelayMs(once.forMs) : undefined;
      if (once.do === 'delay' && shorter !== undefined)
        yield { is: 'fault', value: { ...once, forMs: shorter, ...(times === undefined ? {} : { times }) } };
      if (once.do === 'stale-list' && once.behind > 1)
        yield { is: 'fault', value: { ...once, behind: once.behind - 1, ...(times === undefined ? {} : { times }) } };
    }
  }
}

function toDeviations(schedule: Schedule): Deviation[] {
  return [
    ...schedule.preemptions.map((value): Deviation => ({ is: 'preemption', value })),
    ...schedule.holds.map((value): Deviation => ({ is: 'hold', value })),
    ...joinLasting(schedule.faults).map((value): Deviation => ({ is: 'fault', value })),
  ];
}

function fromDeviations(deviations: readonly Deviation[]): Schedule {
  return {
    version: 1,
    default: 'run-to-completion',
    preemptions: deviations.flatMap((deviation) => (deviation.is === 'preemption' ? [deviation.value] : [])),
    holds: deviations.flatMap((deviation) => (deviation.is === 'hold' ? [deviation.value] : [])),
    faults: deviations.flatMap((deviation) => (deviation.is === 'fault' ? [deviation.value] : [])),
  };
}

/** Joins equal failures at consecutive occurrences of one label into one lasting fault. */
export function joinLasting(faults: readonly Fault[]): readonly Fault[] {
  const out: Fault[] = [];
  for (const fault of faults) {
    const index = out.findIndex(
      (earlier) => isSameFailure(earlier, fault) && fault.at === laterOccurrence(earlier.at, earlier.times ?? 1),
    );
    const earlier = out[index];
    if (earlier === undefined) out.push(fault);
    else out[index] = { ...earlier, times: (earlier.times ?? 1) + (fault.times ?? 1) };
  }
  return out;
}

function isSameFailure(a: Fault, b: Fault): boolean {
  if (a.do === 'fail' && b.do === 'fail') return a.status === b.status && a.retryAfterSeconds === b.retryAfterSeconds;
  return a.do === 'refuse' && b.do === 'refuse';
}
