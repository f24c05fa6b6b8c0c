import { describe, expect, it } from 'vitest';
import { Random } from '../../determinism/random.ts';
import type { Item } from '../../model/item.ts';
import { item, timer, view } from '../test-items.ts';
import { lag, unobservedState } from './lag.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10, watched: ['pods'] };
const POD = item('controller/watch/pods/default#0/a@0', { touches: 'pods/default/a' });
const POOL = item('controller/watch/pools/default#0/web@0', { touches: 'pools/default/web' });

function write(n: number): Item {
  return item(`controller/create/pods/default/w~${n}#0!sent`, { touches: 'pods/default/' });
}

describe('lag of one kind', () => {
  /** Draws: pods, from the beginning (0), for two writes (1), in the default order (1). */
  const drawsFor = (): ReturnType<typeof scripted> => scripted({ ints: [0, 0, 1, 1] });

  it('shows the target nothing of its kind until it has written so many times, and everything else', () => {
    const strategy = lag(drawsFor(), HINTS);

    expect(strategy.pick(view([POD, POOL]))).toBe(POOL);
    const first = write(0);
    expect(strategy.pick(view([POD, first]))).toBe(first);
    const second = write(1);
    expect(strategy.pick(view([POD, second]))).toBe(second);
    expect(strategy.pick(view([POD, write(2)]))).toBe(POD);
  });

  it('rather lets time pass than show it, but never stands still', () => {
    const strategy = lag(drawsFor(), HINTS);
    const late = timer();

    expect(strategy.pick(view([POD], { timer: late }))).toBe(late);
    expect(strategy.pick(view([POD]))).toBe(POD);
  });

  it('takes the kind of the first event where the reference run tells nothing', () => {
    const strategy = lag(drawsFor(), { steps: 40, conflictSteps: 10 });
    const own = write(0);

    expect(strategy.pick(view([POOL, POD]))).toBe(POD);
    expect(strategy.pick(view([POOL, own]))).toBe(own);
  });

  it('lasts for the whole run in some of them', () => {
    let endless = 0;
    for (let seed = 0; seed < 60; seed++) {
      const strategy = lag(new Random(seed), HINTS);
      const taken = Array.from({ length: 40 }, (_, n) =>
        strategy.pick(view(n % 2 === 0 ? [POD, write(n)] : [write(n)], { step: n })),
      );
      if (!taken.slice(10).includes(POD)) endless++;
    }

    expect(endless).toBeGreaterThan(5);
    expect(endless).toBeLessThan(55);
  });
});

describe('an unobserved state', () => {
  const first = item('writer-1/delete/pods/default/a#0!sent', { touches: 'pods/default/a' });
  const second = item('writer-1/create/pods/default/a#0!sent', { touches: 'pods/default/a' });

  it('is heard of with its undoing, once so many operations of others are over', () => {
    // Draws: pods, two operations (1), from the beginning.
    const strategy = unobservedState(scripted({ ints: [0, 1, 0] }), HINTS);

    expect(strategy.pick(view([POD, first]))).toBe(first);
    expect(strategy.pick(view([POD, second], { completed: new Set(['writer-1']) }))).toBe(second);
    expect(strategy.pick(view([POD], { completed: new Set(['writer-1']) }))).toBe(POD);
  });

  it('is made before the target acts again', () => {
    const strategy = unobservedState(scripted({ ints: [0, 1, 0] }), HINTS);

    expect(strategy.pick(view([write(0), first]))).toBe(first);
  });

  it('holds nothing when nobody else acts', () => {
    const strategy = unobservedState(scripted({ ints: [0, 1, 0] }), HINTS);

    expect(strategy.pick(view([POD, write(0)]))).toBe(POD);
  });
});
