/**
 * Where the trials of a process come from: every other one is drawn at random, every other one deviates once from a calm run.
 *
 * A calm run (`calm-runs.ts`) is a trial of its own; what it has shown is deviated from in later ones (`deviations.ts`). Owns: whose
 * turn it is. Does not own: how trials are drawn (`schedule/arbitrary.ts`), how many run at once (`search.ts`).
 */
import * as fc from 'fast-check';
import { Random } from '../../determinism/random.ts';
import type { History } from '../../model/history.ts';
import type { FaultKind, Schedule } from '../../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import type { Trial } from '../../model/trial.ts';
import type { Workload } from '../../model/workload.ts';
import { CalmRuns } from './calm-runs.ts';
import { singleDeviations } from './deviations.ts';

export interface TrialSourceOptions {
  readonly trials: fc.Arbitrary<Trial>;
  /** What calm runs are made of. */
  readonly workloads: fc.Arbitrary<Workload>;
  readonly faults: readonly FaultKind[];
  readonly seed: number;
}

/** Workloads to choose from; when all have been deviated from, the random trials go on alone. */
const WORKLOADS = 2_000;
/** Of one calm run no more than this is tried: the next one may be worth more. */
const STREAKS_MAX = 2;
const COLLISIONS_MAX = 6;
const SILENCES_MAX = 6;
const FAULTS_MAX = 2;
const DELAYS_MAX = 2;
/** One trial in so many is random. */
const RANDOM_ONE_IN = 2;
/** So many calm runs are deviated from in turns. */
const OPEN_MAX = 3;

export class TrialSource {
  readonly #options: TrialSourceOptions;
  readonly #random: Random;
  #calm: CalmRuns | undefined;
  readonly #underWay = new Set<Trial>();
  /** What is left of each calm run, the one whose turn it is first. */
  readonly #open: Trial[][] = [];

  constructor(options: TrialSourceOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  /** A batch of trials, drawn with a seed. */
  *batch(seed: number, size: number): Generator<Trial> {
    const drawn = fc.sample(this.#options.trials, { seed, numRuns: size });
    for (const [index, trial] of drawn.entries()) {
      const own = index % RANDOM_ONE_IN === 0 ? undefined : this.#next();
      yield own ?? trial;
    }
  }

  /** What came of a trial: of a calm one, what there is to deviate from. */
  learn(trial: Trial, history: History): void {
    if (!this.#underWay.delete(trial)) return;
    this.#calm?.learn(trial.workload, history);
    const { collisions, silences, faults, delays } = singleDeviations(history, trial.workload, this.#options.faults);
    const streaks = collisions.filter(({ preemptions }) => preemptions.length > 1);
    const schedules = [
      ...this.#some(streaks, STREAKS_MAX),
      ...this.#some(
        collisions.filter((schedule) => !streaks.includes(schedule)),
        COLLISIONS_MAX,
      ),
      ...this.#some(silences, SILENCES_MAX),
      ...this.#some(faults, FAULTS_MAX),
      ...this.#some(delays, DELAYS_MAX),
    ];
    this.#open.push(schedules.map((schedule): Trial => ({ workload: trial.workload, schedule })));
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

  #deviation(): Trial | undefined {
    const turn = this.#open.shift();
    const trial = turn?.shift();
    if (turn !== undefined && turn.length > 0) this.#open.push(turn);
    return trial;
  }

  /** Some of them, in a random order. */
  #some(schedules: readonly Schedule[], max: number): readonly Schedule[] {
    const left = [...schedules];
    const some: Schedule[] = [];
    while (left.length > 0 && some.length < max) some.push(...left.splice(this.#random.int(left.length), 1));
    return some;
  }
}
