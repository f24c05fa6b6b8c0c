/**
 * Compares our schedulers with `fc.scheduler()` on one model: five tasks of five requests each, 50 steps; prints runs per second as one
 * line of JSON.
 */
import * as fc from 'fast-check';
import { Random } from '../../harness/determinism/random.ts';
import { realNow } from '../../harness/determinism/real-time.ts';
import { EMPTY_SCHEDULE } from '../../harness/model/schedule.ts';
import { ReplayScheduler } from '../../harness/schedule/replay-scheduler.ts';
import { SearchScheduler } from '../../harness/schedule/search-scheduler.ts';
import { runToyWorld } from '../../harness/schedule/toy-world.ts';
import type { Scheduler } from '../../harness/model/item.ts';

const ROUND_MS = 400;
const ROUNDS = 5;
const TASKS = 5;
const STEPS = 5;
const WORLD = {
  actors: Object.fromEntries(Array.from({ length: TASKS }, (_, n) => [`writer-${n}`, STEPS])),
  streams: {},
  timers: 0,
};

async function rates(run: (n: number) => void | Promise<void>): Promise<readonly number[]> {
  const out: number[] = [];
  let n = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const began = realNow();
    let count = 0;
    while (realNow() - began < ROUND_MS) {
      await run(n++);
      count++;
    }
    if (round > 0) out.push((count / (realNow() - began)) * 1000);
  }
  return out;
}

function ours(make: (n: number) => Scheduler): Promise<readonly number[]> {
  return rates((n) => {
    runToyWorld(WORLD, make(n));
  });
}

/** The same model with fast-check's scheduler: every step of a task is a scheduled promise. */
async function theirs(n: number): Promise<void> {
  const [scheduler] = fc.sample(fc.scheduler(), { numRuns: 1, seed: n });
  if (scheduler === undefined) throw new Error('fast-check gave no scheduler');
  const task = async (): Promise<void> => {
    for (let step = 0; step < STEPS * 2; step++) await scheduler.schedule(Promise.resolve(step));
  };
  const all = Promise.all(Array.from({ length: TASKS }, task));
  await scheduler.waitFor(all);
}

const hints = { steps: 50, conflictSteps: 20 };
const search = (strategy: 'random-walk' | 'pos' | 'conflict-pct' | 'starvation'): Promise<readonly number[]> =>
  ours((n) => new SearchScheduler({ strategy, seed: n, fairAfter: 250, faults: {} }, new Random(n), hints));
const result = {
  'fc.scheduler': await rates(theirs),
  'default order': await ours(() => new ReplayScheduler(EMPTY_SCHEDULE)),
  'random-walk': await search('random-walk'),
  pos: await search('pos'),
  'conflict-pct': await search('conflict-pct'),
  starvation: await search('starvation'),
};
process.stdout.write(`${JSON.stringify(result)}\n`);
