import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../determinism/random.ts';
import { EMPTY_SCHEDULE, scheduleSize } from '../model/schedule.ts';
import type { StrategyName } from '../model/trial.ts';
import { DerivingScheduler } from './derive.ts';
import { ReplayScheduler } from './replay-scheduler.ts';
import { SearchScheduler } from './search-scheduler.ts';
import type { Item } from '../model/item.ts';
import { item, timer, view } from './test-items.ts';
import { runToyWorld } from './toy-world.ts';
import type { ToyWorld } from './toy-world.ts';

const STRATEGIES: readonly StrategyName[] = ['random-walk', 'pos', 'conflict-pct', 'starvation'];

const toyWorlds: fc.Arbitrary<ToyWorld> = fc.record({
  actors: fc.record({
    controller: fc.integer({ min: 1, max: 6 }),
    user: fc.integer({ min: 0, max: 3 }),
    'writer-1': fc.integer({ min: 0, max: 4 }),
    'writer-2': fc.integer({ min: 0, max: 4 }),
  }),
  streams: fc.constantFrom<ToyWorld['streams']>(
    {},
    { 'controller/watch/things/default#0': 'writer-1' },
    { 'controller/watch/things/default#0': 'writer-1', 'controller/watch/others/default#0': 'user' },
  ),
  timers: fc.integer({ min: 0, max: 3 }),
});

describe('deriving a schedule from a search', () => {
  it('replays to the same order of everything, whatever the strategy did', () => {
    fc.assert(
      fc.property(toyWorlds, fc.constantFrom(...STRATEGIES), fc.integer(), (world, strategy, seed) => {
        const hints = { steps: 20, conflictSteps: 8, mayDelay: true };
        const faults = { delay: seed % 2 === 0 ? 2_000 : 0 };
        const searching = new SearchScheduler({ strategy, seed, fairAfter: 200, faults }, new Random(seed), hints);
        const deriving = new DerivingScheduler(searching);

        const searched = runToyWorld(world, deriving);
        const replayed = runToyWorld(world, new ReplayScheduler(deriving.schedule()));

        expect(replayed).toEqual(searched);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  it('names no moment by how often it was waited on the clock of the wall', () => {
    const event = item('controller/watch/things/default#0/a@0', { touches: 'things/default/a' });
    const own = item('controller/update/things/default/a#0!sent');
    const late = timer('wall', 3);
    const script = [late, own, late, event];
    const deriving = new DerivingScheduler({ holding: () => false, next: () => ({ item: script.shift() ?? event }) });

    deriving.next(view([own, event], { timer: late }));
    deriving.next(view([own, event], { timer: late }));
    deriving.next(view([event], { timer: late }));
    deriving.next(view([event], { timer: late }));

    expect(JSON.stringify(deriving.schedule())).not.toContain('wall/');
    expect(deriving.schedule().holds).toEqual([{ stream: event.stream, from: '@0', until: 'heal' }]);
  });

  it('says how long was waited on that clock while something else could happen, and not how often', () => {
    const event = item('controller/watch/things/default#0/a@0', { touches: 'things/default/a' });
    const own = item('controller/update/things/default/a#0!sent');
    const moments = [1_000, 2_500.4, 61_000];
    const items = [own, event];
    const script: Item[] = [];
    const deriving = new DerivingScheduler({ holding: () => false, next: () => ({ item: script.shift() ?? event }) });
    let nowMs = 400;
    for (const [n, atMs] of moments.entries()) {
      const late = timer('wall', n, atMs);
      script.push(late);
      deriving.next(view(items, { timer: late, nowMs }));
      nowMs = Math.floor(atMs);
    }
    script.push(own);
    deriving.next(view(items, { nowMs }));

    const [waited, ...rest] = deriving.schedule().preemptions;
    expect(rest).toEqual([]);
    expect(waited).toMatchObject({ before: own.label, run: 'time' });
    expect(waited?.forMs).toBeGreaterThanOrEqual(60_600);
    expect(waited?.forMs).toBeLessThan(60_610);
  });

  it('derives nothing from a run in the default order', () => {
    fc.assert(
      fc.property(toyWorlds, (world) => {
        const deriving = new DerivingScheduler(new ReplayScheduler(EMPTY_SCHEDULE));

        runToyWorld(world, deriving);

        expect(scheduleSize(deriving.schedule())).toBe(0);
      }),
      { numRuns: 200, seed: 7 },
    );
  });
});
