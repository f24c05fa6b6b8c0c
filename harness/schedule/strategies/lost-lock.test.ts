import { describe, expect, it } from 'vitest';
import { item, timer, view } from '../test-items.ts';
import { lostLock } from './lost-lock.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10, lockMs: 15_000 };
const touches = 'leases.coordination.k8s.io/default/lock';
const about = (actor: string, verb: string, n: number): ReturnType<typeof item> =>
  item(`${actor}/${verb}/${touches}#${n}!sent`, { touches, write: verb !== 'get' });
const write = (n: number, actor = 'controller'): ReturnType<typeof item> => about(actor, 'update', n);
const read = (n: number, actor = 'controller'): ReturnType<typeof item> => about(actor, 'get', n);
const other = item('writer-1/update/pods/default/a#0!sent');
const FAILED = { do: 'fail', status: 500 };

describe('a lost lock', () => {
  it('starts a second copy and fails the leader’s writes to the lock, until the other copy holds it', () => {
    // Draws: act once it is taken (1), writes only (1), after one write (0), nine failures (0).
    const strategy = lostLock(scripted({ ints: [1, 1, 0, 0] }), HINTS);

    expect(strategy.pick(view([other], { timer: timer() }))).toMatchObject({ kind: 'timer' });
    expect(strategy.fault?.(read(0))).toBeUndefined();
    expect(strategy.fault?.(write(0))).toEqual({ do: 'start-replica' });
    expect(strategy.fault?.(write(1))).toEqual(FAILED);
    expect(strategy.fault?.(read(1))).toBeUndefined();
    expect(strategy.fault?.(write(0, 'controller~2'))).toBeUndefined();
    expect(strategy.pick(view([other], { timer: timer() }))).toBe(other);
  });

  it('or for longer, its reads as well', () => {
    // Draws: act once requests no longer fail (2), reads too (0), after two writes (2), nine failures (0).
    const strategy = lostLock(scripted({ ints: [2, 0, 2, 0] }), HINTS);

    expect(strategy.fault?.(write(0))).toBeUndefined();
    expect(strategy.fault?.(write(1))).toEqual({ do: 'start-replica' });
    expect(strategy.fault?.(write(0, 'controller~2'))).toBeUndefined();
    for (let n = 2; n < 11; n++) {
      expect(strategy.pick(view([other], { timer: timer() }))).toMatchObject({ kind: 'timer' });
      expect(strategy.fault?.(read(n))).toEqual(FAILED);
    }
    expect(strategy.fault?.(read(11))).toBeUndefined();
    expect(strategy.pick(view([other], { timer: timer() }))).toBe(other);
  });

  it('touches nothing but the lock of the target', () => {
    const strategy = lostLock(scripted({ ints: [0, 0, 0, 0] }), HINTS);

    expect(strategy.pick(view([other], { timer: timer() }))).toBe(other);
    expect(strategy.fault?.(other)).toBeUndefined();
    expect(
      strategy.fault?.(item('controller/update/pods/default/a#0!sent', { touches: 'pods/default/a' })),
    ).toBeUndefined();
    expect(strategy.fault?.(write(0, 'writer-1'))).toBeUndefined();
  });
});
