import { describe, expect, it } from 'vitest';
import { Random } from '../../determinism/random.ts';
import { item, view } from '../test-items.ts';
import { collide } from './collide.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10 };
const MINE = item('controller/update/things/default/a#0!sent', { touches: 'things/default/a' });
const READ = item('writer-1/get/things/default/a#0!sent', { touches: 'things/default/a', write: false });
const THEIRS = item('writer-1/update/things/default/a#0!sent', { touches: 'things/default/a' });
const ELSEWHERE = item('writer-2/update/things/default/b#0!sent', { touches: 'things/default/b' });
const EVENT = item('controller/watch/things/default#0/a@0', { touches: 'things/default/a' });

describe('a collision', () => {
  it('lets a whole operation on the same object go before the write of the target', () => {
    const strategy = collide(scripted({ ints: [1, 2, 0] }), HINTS);

    expect(strategy.pick(view([MINE, ELSEWHERE, READ]))).toBe(READ);
    expect(strategy.pick(view([MINE, ELSEWHERE, THEIRS]))).toBe(THEIRS);
    expect(strategy.pick(view([MINE, ELSEWHERE], { completed: new Set(['writer-1']) }))).toBe(MINE);
  });

  it('lets a writer go before the user, for whose change the target wakes anyway', () => {
    const user = item('user/update/things/default/a#0!sent', { touches: 'things/default/a' });
    const strategy = collide(scripted({ ints: [1, 2, 0] }), HINTS);

    expect(strategy.pick(view([MINE, user, THEIRS]))).toBe(THEIRS);
  });

  it('decides once for each write', () => {
    const strategy = collide(scripted({ ints: [1, 2, 99, 0] }), HINTS);

    expect(strategy.pick(view([MINE, READ]))).toBe(MINE);
  });

  it('keeps what happened from the target until it has written, in half of the runs', () => {
    // Draws: withhold the change (0), do not wait for a collision (2), collide (0), withhold for two writes (1).
    const strategy = collide(scripted({ ints: [0, 2, 0, 1, 99, 99] }), HINTS);
    const again = { ...MINE, seq: MINE.seq + 1_000 };

    expect(strategy.pick(view([MINE, READ]))).toBe(READ);
    expect(strategy.pick(view([MINE, EVENT], { completed: new Set(['writer-1']) }))).toBe(MINE);
    expect(strategy.pick(view([EVENT, again]))).toBe(again);
    expect(strategy.pick(view([EVENT]))).toBe(EVENT);
  });

  it('is waited for in most runs', () => {
    const reading = item('controller/get/things/default/a#0!sent', { touches: 'things/default/a', write: false });
    const strategy = collide(scripted({ ints: [1, 0, 0, 0] }), HINTS);

    expect(strategy.pick(view([THEIRS, reading]))).toBe(reading);
    expect(strategy.pick(view([THEIRS, MINE]))).toBe(THEIRS);
    expect(collide(scripted({ ints: [1, 0, 0] }), HINTS).pick(view([THEIRS]))).toBe(THEIRS);
  });

  it('is often waited for until earlier writes have passed', () => {
    const strategy = collide(scripted({ ints: [1, 0, 2, 0] }), HINTS);
    const again = { ...MINE, seq: MINE.seq + 1_000 };

    expect(strategy.pick(view([THEIRS, MINE]))).toBe(MINE);
    expect(strategy.pick(view([THEIRS, again]))).toBe(THEIRS);
  });

  it('is likelier on one object than on two', () => {
    let same = 0;
    let other = 0;
    for (let seed = 0; seed < 200; seed++) {
      if (collide(new Random(seed), HINTS).pick(view([MINE, READ])) === READ) same++;
      if (collide(new Random(seed), HINTS).pick(view([MINE, ELSEWHERE])) === ELSEWHERE) other++;
    }

    expect(same).toBeGreaterThan(80);
    expect(other).toBeLessThan(70);
    expect(other).toBeGreaterThan(5);
  });
});
