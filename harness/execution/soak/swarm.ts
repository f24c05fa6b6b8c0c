/**
 * What a batch of a soak draws from what the configuration allows. Three of four have everything on, as `run` has it: each run draws
 * from that again, and finds sooner with more to draw from. Every fourth has fewer writers, faults and strategies, so that combinations
 * are tried that others mask (Groce et al., "Swarm testing", 2012).
 *
 * Owns: the odds. A batch draws whole kinds; within it each run draws again (`schedule/arbitrary.ts`,
 * `schedule/workload/workload-arbitrary.ts`).
 */
import { SEED_RANGE, type Random } from '../../determinism/random.ts';
import type { Draw } from '../../model/soak.ts';
import { PROCESS_MIX, STRATEGY_MIX } from '../../schedule/arbitrary.ts';
import type { RunConfig } from '../config/run-config.ts';

const DRAWN_ONE_IN = 4;
/** Of a process, trials that deviate once from a calm run find most: they go on unless strategies are named. */
const NAMED_ONE_IN_PROCESS = 4;
const STARTS = [null, null, 'settled', 'empty'] as const;

export function drawBatch(
  { writers, faults, process }: Pick<RunConfig, 'writers' | 'faults' | 'process'>,
  batch: number,
  random: Random,
): Draw {
  const seed = random.int(SEED_RANGE);
  if ((batch + 1) % DRAWN_ONE_IN !== 0) return { seed, writers, faults, strategies: null, start: null };
  const mix = [...new Set(process === null ? STRATEGY_MIX : PROCESS_MIX)];
  const isNamed = process === null || random.int(NAMED_ONE_IN_PROCESS) === 0;
  return {
    seed,
    writers: someOf(writers, random, 1),
    faults: random.int(4) === 0 ? [] : someOf(faults, random, 1),
    strategies: isNamed ? someOf(mix, random, process === null ? 1 : 3) : null,
    start: random.pick(STARTS),
  };
}

/** Each of them or not, in their own order; at least so many, where there are. */
function someOf<T>(all: readonly T[], random: Random, least: number): readonly T[] {
  const chosen = new Set(all.filter(() => random.int(2) === 0));
  for (const one of random.shuffle(all)) if (chosen.size < least) chosen.add(one);
  return all.filter((one) => chosen.has(one));
}
