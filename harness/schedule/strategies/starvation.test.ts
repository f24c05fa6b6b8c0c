import { describe, expect, it } from 'vitest';
import { Random } from '../../determinism/random.ts';
import { item, timer, view } from '../test-items.ts';
import { starvation } from './starvation.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 20, conflictSteps: 8 };
const EVENT = item('controller/watch/pods/default#0/a@0');
const OWN = item('controller/update/a#0!sent');
const WRITER = item('writer-1/update/a#0!sent');

describe('starvation', () => {
  /** Draws: starts at step 3, for 2**3 steps, orderly (0); the victim is a stream (1: not an actor). */
  const drawsFor = (): ReturnType<typeof scripted> => scripted({ ints: [3, 2, 0, 1, 0] });

  it('gives its victim nothing for a power of two of steps, everybody else goes on', () => {
    const strategy = starvation(drawsFor(), HINTS);
    const fed = Array.from({ length: 14 }, (_, step) => strategy.pick(view([EVENT, WRITER], { step })) === EVENT);

    expect(fed.map((was) => (was ? 'x' : '.')).join('')).toBe('xxx........xxx');
  });

  it('starves a stream while its actor goes on writing', () => {
    const strategy = starvation(drawsFor(), HINTS);

    expect(strategy.pick(view([EVENT, OWN, WRITER], { step: 3 }))).toBe(OWN);
    expect(strategy.pick(view([EVENT, OWN, WRITER], { step: 10 }))).toBe(OWN);
    expect(strategy.pick(view([EVENT, OWN, WRITER], { step: 11 }))).toBe(EVENT);
  });

  it('rather lets time pass than feed its victim, but never stands still', () => {
    const strategy = starvation(drawsFor(), HINTS);
    const late = timer();

    expect(strategy.pick(view([EVENT], { step: 4, timer: late }))).toBe(late);
    expect(strategy.pick(view([EVENT], { step: 5 }))).toBe(EVENT);
  });

  it('waits for a stream to choose when none has anything yet', () => {
    const strategy = starvation(drawsFor(), HINTS);

    expect(strategy.pick(view([WRITER], { step: 3 }))).toBe(WRITER);
    expect(strategy.pick(view([EVENT, WRITER], { step: 4 }))).toBe(WRITER);
  });

  it('now and then starves an actor instead', () => {
    const strategy = starvation(scripted({ ints: [0, 2, 0, 0, 0] }), HINTS);

    expect(strategy.pick(view([OWN, WRITER], { step: 0 }))).toBe(WRITER);
  });

  it('keeps events back longer than chance would', () => {
    let longest = 0;
    for (let seed = 0; seed < 50; seed++) {
      const strategy = starvation(new Random(seed), HINTS);
      let waited = 0;
      for (let step = 0; step < 160; step++) {
        waited = strategy.pick(view([EVENT, WRITER], { step })) === EVENT ? 0 : waited + 1;
        longest = Math.max(longest, waited);
      }
    }

    expect(longest).toBeGreaterThanOrEqual(128);
  });
});
