/**
 * Draws the settings of a batch of a soak from those that the configuration allows. Three of four batches have everything enabled, as with
 * `run`: each run draws a subset anyway, and a larger choice finds bugs sooner. Every fourth batch has fewer writers, faults and
 * strategies, to try combinations that the missing ones would mask (Groce et al., "Swarm testing", 2012).
 *
 * Owns: the probabilities. A batch draws which settings are enabled; each run then draws from those (`schedule/arbitrary.ts`,
 * `schedule/workload/workload-arbitrary.ts`).
 */
import { SEED_RANGE, type Random } from '../../determinism/random.ts';
import type { Draw } from '../../model/soak.ts';
import { PROCESS_MIX, STRATEGY_MIX } from '../../schedule/arbitrary.ts';
import type { RunConfig } from '../config/run-config.ts';

const DRAWN_ONE_IN = 4;
/**
 * One in this many of the drawn batches of a process selects strategies by name. This is rare, since it disables single deviations from an
 * undisturbed run, which find most bugs.
 */
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

/** Returns a random subset in the original order, with at least `least` elements if there are that many. */
function someOf<T>(all: readonly T[], random: Random, least: number): readonly T[] {
  const chosen = new Set(all.filter(() => random.int(2) === 0));
  for (const one of random.shuffle(all)) if (chosen.size < least) chosen.add(one);
  return all.filter((one) => chosen.has(one));
}
