/**
 * The one shrinkable arbitrary: a whole trial, workload and schedule together.
 *
 * Generates searching trials (a workload, a strategy, a seed, a random choice of fault kinds). After a failure, the caller that ran the
 * trial deposits the schedule derived from the run ({@link depositSchedule}); `shrink` then walks the candidates of `shrink.ts`. Values are
 * immutable; a context holds the answers so far, so shrink trees are pure and can be walked again.
 */
import * as fc from 'fast-check';
import type { FaultKind, Schedule } from '../model/schedule.ts';
import { EMPTY_SCHEDULE } from '../model/schedule.ts';
import type { Search, StrategyName, Trial } from '../model/trial.ts';
import type { Workload } from '../model/workload.ts';
import { shrinkTrial } from './shrink.ts';

export interface TrialArbitraryOptions {
  readonly workload: fc.Arbitrary<Workload>;
  /** Strategies to draw from; repeat one to increase its weight. */
  readonly strategies?: readonly StrategyName[];
  readonly faults?: readonly FaultKind[];
}

/** The general strategies, and two that leave a cache behind: by chance, the faults and holds that this takes hardly ever meet. */
export const STRATEGY_MIX: readonly StrategyName[] = [
  ...(['random-walk', 'random-walk', 'random-walk'] as const),
  ...(['pos', 'pos', 'pos'] as const),
  ...(['conflict-pct', 'conflict-pct'] as const),
  ...(['starvation', 'starvation'] as const),
  'gap',
  'late-list',
  'lost-lock',
];

/**
 * The mix for process targets. A trial takes about a second there, so most trials use the strategies aimed at known bug patterns, and the
 * general ones get the rest.
 */
export const PROCESS_MIX: readonly StrategyName[] = [
  'lag',
  'lag',
  'lag',
  'collide',
  'collide',
  'collide',
  'intermediate-state',
  'stale-state',
  'unobserved-state',
  'gap',
  'late-list',
  'lost-lock',
  'random-walk',
  'pos',
  'starvation',
];

/** The kinds of faults that a strategy itself requests, for strategies that need faults. */
const OWN_FAULTS: { readonly [name in StrategyName]?: readonly FaultKind[] } = {
  'intermediate-state': ['crash'],
  'stale-state': ['crash', 'stale-list'],
  'late-list': ['crash'],
  'lost-lock': ['start-replica', 'fail'],
  gap: ['expire-watch'],
};

/** The chance of a fault per applicable item, in 1/10000, if its kind is enabled in the run. */
const FAULT_CHANCE: { readonly [kind in FaultKind]: number } = {
  fail: 600,
  refuse: 150,
  'lose-response': 500,
  'close-watch': 250,
  'expire-watch': 250,
  'stale-list': 3_000,
  crash: 400,
  'start-replica': 300,
  pause: 300,
  delay: 300,
  // Connection faults are off unless requested, so they should occur often; at most one happens per run.
  latency: 1_000,
  bandwidth: 1_000,
  'slow-close': 1_000,
  'black-hole': 1_000,
  reset: 1_000,
  slice: 1_000,
  'limit-data': 1_000,
  down: 1_000,
};

/** The number of items after which choices are uniformly random, so that no strategy starves an actor for ever. */
const FAIR_AFTER = 250;

const schedules = new WeakMap<Trial, Schedule>();

/** Stores the schedule that was derived from a run of a searching trial, so that the trial can be shrunk. */
export function depositSchedule(trial: Trial, schedule: Schedule): void {
  schedules.set(trial, schedule);
}

const origins = new WeakMap<Trial, Trial>();

/** Returns the trial that fast-check shrank to this one; undefined for a trial that was generated or given. */
export function shrunkFrom(trial: Trial): Trial | undefined {
  return origins.get(trial);
}

interface ShrinkContext {
  /** The failed trial itself, as generated or given. */
  readonly origin: Trial;
  /** The trial with a stored schedule where shrinking started. */
  readonly root: Trial;
  /** True once the root itself has been a candidate; a stored trial counts as one. */
  readonly offered: boolean;
  /** For each candidate since the root: whether it failed. */
  readonly answers: readonly boolean[];
}

class TrialArbitrary extends fc.Arbitrary<Trial> {
  readonly #options: Required<TrialArbitraryOptions>;

  constructor(options: TrialArbitraryOptions) {
    super();
    const { faults = [], strategies = STRATEGY_MIX } = options;
    const possible = strategies.filter((name) => {
      const [needed] = OWN_FAULTS[name] ?? [];
      return needed === undefined || faults.includes(needed);
    });
    this.#options = { ...options, faults, strategies: possible.length === 0 ? strategies : possible };
  }

  override generate(mrng: fc.Random, biasFactor: number | undefined): fc.Value<Trial> {
    const { strategies, faults } = this.#options;
    const workload = this.#options.workload.generate(mrng, biasFactor).value;
    const strategy = strategies[mrng.nextInt(0, strategies.length - 1)] ?? 'random-walk';
    const chances: Record<string, number> = {};
    // Half of all runs have no fault; in the others each kind is on or off.
    if (faults.length > 0 && mrng.nextBoolean()) {
      for (const kind of faults) if (mrng.nextInt(0, 2) === 0) chances[kind] = FAULT_CHANCE[kind];
    }
    for (const kind of OWN_FAULTS[strategy] ?? []) if (faults.includes(kind)) chances[kind] ??= 0;
    const search: Search = { strategy, seed: mrng.nextInt(), fairAfter: FAIR_AFTER, faults: chances };
    return new fc.Value<Trial>({ workload, schedule: EMPTY_SCHEDULE, search }, {});
  }

  override canShrinkWithoutContext(value: unknown): value is Trial {
    return (
      typeof value === 'object' && value !== null && 'workload' in value && 'schedule' in value && !('search' in value)
    );
  }

  override shrink(value: Trial, context: unknown): fc.Stream<fc.Value<Trial>> {
    const walk = isShrinkContext(context) ? context : rootOf(value);
    return walk === undefined ? fc.Stream.nil() : fc.stream(candidates(walk));
  }
}

function isShrinkContext(context: unknown): context is ShrinkContext {
  return typeof context === 'object' && context !== null && 'answers' in context;
}

function rootOf(trial: Trial): ShrinkContext | undefined {
  if (trial.search === undefined) return { origin: trial, root: trial, offered: true, answers: [] };
  const schedule = schedules.get(trial);
  if (schedule === undefined) return undefined;
  return { origin: trial, root: { workload: trial.workload, schedule }, offered: false, answers: [] };
}

/** Yields the candidates that follow from the answers so far. If the caller requests the next candidate, the previous one passed. */
function* candidates({ origin, root, offered, answers }: ShrinkContext): IterableIterator<fc.Value<Trial>> {
  const candidate = (trial: Trial, context: ShrinkContext): fc.Value<Trial> => {
    origins.set(trial, origin);
    return new fc.Value<Trial>(trial, context);
  };
  // The searching trial as a stored schedule is the first candidate: all others derive from it.
  if (!offered) yield candidate(root, { origin, root, offered: true, answers: [] });
  const generator = shrinkTrial(root);
  let next = generator.next();
  for (const answer of answers) next = generator.next(answer);
  const said = [...answers];
  while (next.done !== true) {
    yield candidate(next.value, { origin, root, offered: true, answers: [...said, true] });
    said.push(false);
    next = generator.next(false);
  }
}

/** Returns trials as a fast-check arbitrary, for `fc.asyncProperty`. */
export function trialArbitrary(options: TrialArbitraryOptions): fc.Arbitrary<Trial> {
  return new TrialArbitrary(options);
}
