import { describe, expect, it } from 'vitest';
import { item, timer, view } from '../test-items.ts';
import { gap } from './gap.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10, watched: ['pods'] };
const EXPIRE = { do: 'expire-watch' };
const POD = item('controller/watch/pods/default#0/a@0', { touches: 'pods/default/a' });
const LATER = item('controller/watch/pods/default#0/a@1', { touches: 'pods/default/a' });
const POOL = item('controller/watch/pools/default#0/web@0', { touches: 'pools/default/web' });
const other = (n: number): ReturnType<typeof item> => item(`writer-1/delete/pods/default/a#${n}!sent`);
const sent = item('controller/create/pods/default/b#0!sent', { touches: 'pods/default/' });

describe('a gap in a watch', () => {
  it('lasts until other actors have nothing left to do, and ends with an expired watch', () => {
    // Draws: pods, at once (0), until the end (3).
    const strategy = gap(scripted({ ints: [0, 0, 3] }), HINTS);
    const write = other(0);

    expect(strategy.pick(view([POD, POOL]))).toBe(POOL);
    expect(strategy.pick(view([POD, write, sent]))).toBe(sent);
    expect(strategy.pick(view([POD, LATER, write]))).toBe(write);
    expect(strategy.fault?.(POOL)).toBeUndefined();
    expect(strategy.pick(view([POD, LATER], { timer: timer() }))).toBe(POD);
    expect(strategy.fault?.(POD)).toEqual(EXPIRE);
    expect(strategy.pick(view([LATER, other(1)]))).toBe(LATER);
    expect(strategy.fault?.(LATER)).toBeUndefined();
  });

  it('or until so many of their operations are complete and the target is at rest', () => {
    // Draws: pods, at once (0), one operation (0).
    const strategy = gap(scripted({ ints: [0, 0, 0] }), HINTS);
    const write = other(0);
    strategy.pick(view([POD, write]));
    const completed = new Set(['writer-1']);

    expect(strategy.pick(view([POD, sent, other(1)], { completed }))).toBe(sent);
    expect(strategy.pick(view([POD, other(1)]))).toBe(POD);
    expect(strategy.fault?.(POD)).toEqual(EXPIRE);
  });

  it('begins after so many writes of the target', () => {
    // Draws: pods, after one write (3), one operation (0).
    const strategy = gap(scripted({ ints: [0, 3, 0] }), HINTS);

    expect(strategy.pick(view([POD]))).toBe(POD);
    expect(strategy.fault?.(POD)).toBeUndefined();
    strategy.pick(view([sent]));
    const write = other(0);
    expect(strategy.pick(view([LATER, write]))).toBe(write);
  });
});
