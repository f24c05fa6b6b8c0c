import { describe, expect, it } from 'vitest';
import { Random } from '../determinism/random.ts';
import type { Item } from '../model/item.ts';
import type { FaultAction, FaultKind } from '../model/schedule.ts';
import type { StrategyName } from '../model/trial.ts';
import { SearchScheduler } from './search-scheduler.ts';
import { item, timer, view } from './test-items.ts';
import { runToyWorld } from './toy-world.ts';

const HINTS = { steps: 40, conflictSteps: 10, lockMs: 15_000, mayDelay: true };
const STRATEGIES: readonly StrategyName[] = ['random-walk', 'pos', 'conflict-pct', 'starvation'];
const KINDS: readonly FaultKind[] = [
  'fail',
  'refuse',
  'lose-response',
  'close-watch',
  'expire-watch',
  'stale-list',
  'crash',
  'start-replica',
  'pause',
  'delay',
];
const ALWAYS = 10_000;

function scheduler(
  seed: number,
  faults: { readonly [kind: string]: number },
  strategy: StrategyName = 'random-walk',
): SearchScheduler {
  return new SearchScheduler({ strategy, seed, fairAfter: 250, faults }, new Random(seed), HINTS);
}

/** Returns the faults that a scheduler draws for the items, one after the other. */
function faultsOf(searching: SearchScheduler, items: readonly Item[]): readonly (FaultAction | undefined)[] {
  return items.map((one) => searching.next(view([one]))?.fault);
}

function updates(count: number, name = 'a'): readonly Item[] {
  return Array.from({ length: count }, (_, n) => item(`controller/update/things/default/${name}#${n}!sent`));
}

describe('faults of a search', () => {
  const cases: readonly (readonly [string, Item, readonly FaultKind[]])[] = [
    ['a write', item('controller/update/a#0!sent'), ['fail', 'refuse', 'crash', 'start-replica', 'pause', 'delay']],
    ['the answer of a write', item('controller/update/a#0!answered'), ['lose-response', 'crash', 'pause', 'delay']],
    ['a read', item('controller/get/a#0!sent', { write: false }), ['fail', 'refuse', 'delay']],
    ['the answer of a read', item('controller/get/a#0!answered', { write: false }), []],
    ['a list', item('controller/list/a#0!sent', { write: false }), ['fail', 'refuse', 'delay']],
    [
      'a list at version 0',
      item('controller/list/a#0!sent', { write: false, staleable: true }),
      ['stale-list', 'fail', 'refuse', 'delay'],
    ],
    ['the opening of a watch', item('controller/watch/a#0!sent', { write: false }), ['fail', 'refuse']],
    [
      'a watch event',
      item('controller/watch/a/default#0/x@0'),
      ['close-watch', 'expire-watch', 'lose-response', 'delay'],
    ],
    ['a writer', item('writer-1/update/a#0!sent'), []],
    ['the garbage collector', item('gc/delete/a#0!sent'), []],
  ];

  it('stop a target that was seen to hold a lock, once in a run, for a moment or until the lock is lost', () => {
    const pauses = Array.from({ length: 20 }, (_, seed) =>
      faultsOf(scheduler(seed, { pause: ALWAYS }), updates(3)).filter((fault) => fault !== undefined),
    );
    const without = new SearchScheduler(
      { strategy: 'random-walk', seed: 1, fairAfter: 250, faults: { pause: ALWAYS } },
      new Random(1),
      { steps: 40, conflictSteps: 10 },
    );

    expect(new Set(pauses.map((drawn) => JSON.stringify(drawn)))).toEqual(
      new Set(['[{"do":"pause","forMs":300}]', '[{"do":"pause","forMs":17500}]']),
    );
    expect(faultsOf(without, updates(3))).toEqual([undefined, undefined, undefined]);
  });

  it('delay one item in a run, requests for a minute at most, where time passes at once', () => {
    const delays = (one: Item, mayDelay: boolean): readonly (FaultAction | undefined)[] =>
      Array.from({ length: 60 }, (_, seed) => {
        const search = { strategy: 'random-walk', seed, fairAfter: 250, faults: { delay: ALWAYS } } as const;
        const searching = new SearchScheduler(search, new Random(seed), { ...HINTS, mayDelay });
        return faultsOf(searching, [one, ...updates(2)]);
      }).flat();
    const lengths = (of: readonly (FaultAction | undefined)[]): readonly number[] =>
      [...new Set(of.flatMap((fault) => (fault?.do === 'delay' ? [fault.forMs] : [])))].toSorted((a, b) => a - b);
    const write = item('controller/update/things/default/a#9!sent');
    const event = item('controller/watch/a/default#0/x@0');

    expect(lengths(delays(write, true))).toEqual([2_000, 16_000, 60_000]);
    expect(lengths(delays(event, true))).toEqual([2_000, 16_000, 60_000, 310_000, 600_000]);
    expect(delays(event, true).filter((fault) => fault !== undefined)).toHaveLength(60);
    expect(lengths(delays(event, false))).toEqual([]);
  });

  it('also hit the requests with which a target recovers from the end of its watch, and no others more often', () => {
    const event = item('controller/watch/things/default#0/x@0');
    const failuresOf = (...requests: readonly Item[]): number =>
      Array.from({ length: 100 }, (_, seed) =>
        faultsOf(scheduler(seed, { 'expire-watch': ALWAYS, fail: 1 }), [event, ...requests]),
      ).filter((drawn) => drawn.some((fault) => fault?.do === 'fail')).length;
    const read = (verb: string, resource: string): Item =>
      item(`controller/${verb}/${resource}/default/*#1!sent`, { write: false });

    expect(failuresOf(read('list', 'things'))).toBeGreaterThan(10);
    expect(failuresOf(read('watch', 'things'))).toBeGreaterThan(10);
    expect(failuresOf(read('list', 'others'))).toBe(0);
    expect(failuresOf(...updates(1))).toBe(0);
  });

  it('that a strategy asks for itself come only where their kind is not switched off', () => {
    const at = item('controller/update/things/default/a#0!sent');
    const crashes = (faults: { readonly [kind: string]: number }): number =>
      Array.from({ length: 20 }, (_, seed) => scheduler(seed, faults, 'intermediate-state').next(view([at]))).filter(
        (choice) => choice?.fault?.do === 'crash',
      ).length;

    expect(crashes({ crash: 0 })).toBeGreaterThan(0);
    expect(crashes({})).toBe(0);
  });

  it.each(cases)('meet %s only where Kubernetes permits them', (_, at, permitted) => {
    const drawn = KINDS.filter((kind) => scheduler(1, { [kind]: ALWAYS }).next(view([at]))?.fault?.do === kind);

    expect(drawn.toSorted()).toEqual(permitted.toSorted());
  });

  it('never meet a timer', () => {
    const faults = Object.fromEntries(KINDS.map((kind) => [kind, ALWAYS]));

    expect(scheduler(1, faults).next(view([], { timer: timer() }))).not.toHaveProperty('fault');
  });

  it('are at most three in one run', () => {
    const answers = Array.from({ length: 50 }, (_, n) => item(`controller/update/a#${n}!answered`));

    const drawn = faultsOf(scheduler(3, { 'lose-response': ALWAYS, crash: ALWAYS }), answers);

    expect(drawn.filter((fault) => fault !== undefined)).toHaveLength(3);
    expect(drawn.slice(3).every((fault) => fault === undefined)).toBe(true);
  });

  it('start one replica and no more', () => {
    const drawn = faultsOf(scheduler(3, { 'start-replica': ALWAYS }), updates(20));

    expect(drawn.filter((fault) => fault?.do === 'start-replica')).toHaveLength(1);
  });

  it('last for the next occurrences of the same request, and of no other', () => {
    const lengths = new Set<number>();
    for (let seed = 0; seed < 40; seed++) {
      const searching = scheduler(seed, { refuse: ALWAYS });
      const [first] = updates(1);
      expect(faultsOf(searching, first === undefined ? [] : [first])).toEqual([{ do: 'refuse' }]);
      // Use up the remaining faults on other items: answers and other requests are not part of a lasting failure.
      const others = [item('controller/update/things/default/a#0!answered')];
      expect(faultsOf(searching, others)).toEqual([undefined]);
    }
    for (let seed = 0; seed < 200; seed++) {
      const drawn = faultsOf(scheduler(seed, { refuse: 50 }), updates(400));
      const first = drawn.findIndex((fault) => fault !== undefined);
      const end = drawn.findIndex((fault, index) => index > first && fault === undefined);
      if (first >= 0 && end >= 0) lengths.add(end - first);
    }

    expect([...lengths]).toEqual(expect.arrayContaining([1, 2, 9]));
    expect(Math.max(...lengths)).toBeLessThanOrEqual(27);
  });

  it('repeat the very same failure while they last', () => {
    for (let seed = 0; seed < 30; seed++) {
      const drawn = faultsOf(scheduler(seed, { fail: ALWAYS }), updates(30));
      const statuses = new Set(drawn.map((fault) => JSON.stringify(fault)));
      statuses.delete(JSON.stringify(undefined));

      expect(statuses.size).toBeLessThanOrEqual(3);
      expect(drawn[0]).toMatchObject({ do: 'fail' });
    }
  });

  it('are not drawn at all when their chance is zero or their kind is off', () => {
    const drawn = faultsOf(scheduler(5, { fail: 0 }), updates(200));

    expect(drawn.every((fault) => fault === undefined)).toBe(true);
  });
});

describe('a search', () => {
  const world = {
    actors: { controller: 5, 'writer-1': 4, user: 2 },
    streams: { 'controller/watch/things/default#0': 'writer-1' },
    timers: 2,
  };

  it.each(STRATEGIES)('by %s makes the same run again from the same seed, another from another', (strategy) => {
    const run = (seed: number): string => JSON.stringify(runToyWorld(world, scheduler(seed, {}, strategy)));

    expect(run(1)).toBe(run(1));
    expect(new Set([1, 2, 3, 4, 5, 6].map(run)).size).toBeGreaterThan(1);
  });

  it.each(STRATEGIES)('by %s lets everything happen in the end', (strategy) => {
    for (let seed = 0; seed < 20; seed++) {
      const happened = runToyWorld(world, scheduler(seed, {}, strategy));

      // Eleven requests sent and answered, four events and two timers.
      expect(new Set(happened).size).toBe(28);
    }
  });

  it('goes on uniformly at random after so many items, so that nobody starves', () => {
    const search = { strategy: 'conflict-pct', seed: 1, fairAfter: 10, faults: {} } as const;
    const searching = new SearchScheduler(search, new Random(1), HINTS);
    const items = [item('controller/get/a#0!sent'), item('writer-1/get/b#0!sent')];
    const taken = (from: number): ReadonlySet<string> =>
      new Set(
        Array.from({ length: 40 }, (_, n) => searching.next(view(items, { step: from + n }))?.item.actor ?? 'nobody'),
      );

    const before = new Set(
      Array.from({ length: 10 }, (_, step) => searching.next(view(items, { step }))?.item.actor ?? 'nobody'),
    );

    expect(before.size).toBe(1);
    expect(taken(10)).toEqual(new Set(['controller', 'writer-1']));
  });

  it('has nothing to choose when nothing can happen', () => {
    expect(scheduler(1, {}).next(view([]))).toBeUndefined();
    expect(scheduler(1, {}).holding()).toBe(false);
  });
});
