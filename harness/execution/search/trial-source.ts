/**
 * Supplies the trials for a process: alternately random ones and single deviations from an undisturbed run.
 *
 * An undisturbed run (`calm-runs.ts`) is itself a trial; later trials are deviations from it (`deviations.ts`). Owns: how the two kinds of
 * trials alternate. Does not own: how random trials are drawn (`schedule/arbitrary.ts`), how many run at once (`search.ts`).
 */
import * as fc from 'fast-check';
import { Random } from '../../determinism/random.ts';
import type { History } from '../../model/history.ts';
import type { FaultKind, Schedule } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { CalmRuns } from './calm-runs.ts';
import { singleDeviations, type Touching } from './deviations.ts';
import type { Situation } from './enough.ts';

export interface TrialSourceOptions {
  readonly trials: fc.Arbitrary<Trial>;
  /** The workloads of undisturbed runs. */
  readonly workloads: fc.Arbitrary<Workload>;
  readonly faults: readonly FaultKind[];
  readonly seed: number;
  /** What another writer may do to objects that the target updates; absent: nothing. */
  readonly touching?: Touching;
  /** Returns the situation that has occurred too rarely so far, if the other one has occurred often enough. */
  readonly lacks?: () => Situation | undefined;
}

/** The number of candidate workloads; once all have been used, the random trials continue alone. */
const WORKLOADS = 2_000;
/** The maximum numbers of trials per undisturbed run, by kind of deviation: the next run may be more productive. */
const STREAKS_MAX = 2;
const COLLISIONS_MAX = 6;
/** The maximum number of collisions with the last of several like writes. */
const LAST_COLLISIONS_MAX = 3;
const SILENCES_MAX = 6;
/** The maximum number of silences on watches of kinds that the target writes. */
const STALE_WRITES_MAX = 4;
const FAULTS_MAX = 2;
const LASTING_MAX = 3;
const RECOVERIES_MAX = 2;
const DELAYS_MAX = 2;
const OVERTAKEN_MAX = 2;
/** Tried first: a controller with expectations (creates whose events it still waits for) gives up on them after minutes. */
const UNSEEN_MAX = 1;
/** One trial in this many is random. */
const RANDOM_ONE_IN = 2;
/** The number of undisturbed runs that take turns. */
const OPEN_MAX = 3;

export class TrialSource {
  readonly #options: TrialSourceOptions;
  readonly #random: Random;
  #calm: CalmRuns | undefined;
  readonly #underWay = new Set<Trial>();
  /** The remaining trials of each undisturbed run; the next trial comes from the first list. */
  readonly #open: Trial[][] = [];
  readonly #leadsTo = new WeakMap<Trial, Situation>();
  #preferred = false;

  constructor(options: TrialSourceOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** Yields a batch of trials, drawn with a seed. */
  *batch(seed: number, size: number): Generator<Trial> {
    const drawn = fc.sample(this.#options.trials, { seed, numRuns: size });
    for (const [index, trial] of drawn.entries()) {
      const own = index % RANDOM_ONE_IN === 0 ? undefined : this.#next();
      yield own ?? trial;
    }
  }

  /** Records the result of a trial; an undisturbed trial supplies the deviations for later ones. */
  learn(trial: Trial, history: History): void {
    if (!this.#underWay.delete(trial)) return;
    this.#calm?.learn(trial.workload, history);
    const deviations = singleDeviations(history, trial.workload, this.#options.faults, this.#options.touching);
    const { collisions, lastCollisions, silences, staleWrites, unseenCreates } = deviations;
    const { workload } = trial;
    const some = (schedules: readonly Schedule[], max: number): readonly Trial[] =>
      this.#some(schedules, max).map((schedule) => ({ workload, schedule }));
    const last = this.#some(lastCollisions, LAST_COLLISIONS_MAX);
    const others = collisions.filter((schedule) => !last.includes(schedule));
    const races = inTurn([
      this.#some(deviations.streaks, STREAKS_MAX),
      some(last, last.length),
      some(others, COLLISIONS_MAX - last.length),
    ]);
    const stale = this.#some(staleWrites, STALE_WRITES_MAX);
    const rest = silences.filter((schedule) => !stale.includes(schedule));
    const unseen = some(unseenCreates, UNSEEN_MAX);
    const reads = some(stale, stale.length);
    const trials = [
      ...unseen,
      ...inTurn([
        races,
        [...reads, ...some(rest, SILENCES_MAX - stale.length)],
        some(deviations.faults, FAULTS_MAX),
        some(deviations.lastingFailures, LASTING_MAX),
        this.#some(deviations.recoveries, RECOVERIES_MAX),
        some(deviations.delays, DELAYS_MAX),
        some(deviations.overtakenAnswers, OVERTAKEN_MAX),
      ]),
    ];
    for (const one of races) this.#leadsTo.set(one, 'conflict');
    for (const one of [...reads, ...unseen]) this.#leadsTo.set(one, 'stale read');
    this.#open.push(trials);
  }

  #next(): Trial | undefined {
    if (this.#open.length + this.#underWay.size >= OPEN_MAX) return this.#deviation();
    const { workloads, seed } = this.#options;
    this.#calm ??= new CalmRuns(fc.sample(workloads, { seed, numRuns: WORKLOADS }));
    const workload = this.#calm.next();
    if (workload === undefined) return this.#deviation();
    const trial: Trial = { workload, schedule: EMPTY_SCHEDULE };
    this.#underWay.add(trial);
    return trial;
  }

  /** Returns the next deviation. If the search lacks a situation, every other deviation is one that leads to it. */
  #deviation(): Trial | undefined {
    const lack = this.#options.lacks?.();
    this.#preferred = lack !== undefined && !this.#preferred;
    return (lack !== undefined && this.#preferred ? this.#leadingTo(lack) : undefined) ?? this.#inTurn();
  }

  #leadingTo(situation: Situation): Trial | undefined {
    for (const [place, turn] of this.#open.entries()) {
      const at = turn.findIndex((trial) => this.#leadsTo.get(trial) === situation);
      if (at < 0) continue;
      const [trial] = turn.splice(at, 1);
      if (turn.length === 0) this.#open.splice(place, 1);
      return trial;
    }
    return undefined;
  }

  #inTurn(): Trial | undefined {
    const turn = this.#open.shift();
    const trial = turn?.shift();
    if (turn !== undefined && turn.length > 0) this.#open.push(turn);
    return trial;
  }

  /** Returns a random selection in random order. */
  #some<T extends Schedule | Trial>(all: readonly T[], max: number): readonly T[] {
    const left = [...all];
    const some: T[] = [];
    while (left.length > 0 && some.length < max) some.push(...left.splice(this.#random.int(left.length), 1));
    return some;
  }
}

/** Returns the first entry of each list, then the second ones: a search with time for few trials then has some of each kind. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
