import { describe, expect, it } from 'vitest';
import { Random } from '../../determinism/random.ts';
import { item, timer, view } from '../test-items.ts';
import { conflictPct } from './conflict-pct.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10 };
const MINE = item('controller/update/a#0!sent', { touches: 'things/default/a' });
const THEIRS = item('writer-1/update/a#0!sent', { touches: 'things/default/a' });
const ELSEWHERE = item('writer-2/update/b#0!sent', { touches: 'things/default/b' });

describe('conflict-aware PCT', () => {
  /**
   * Depth 2 means one priority change, at the first or second step with a conflict. The second item draws first, so the first is preferred.
   */
  const drawsFor = (): ReturnType<typeof scripted> => scripted({ ints: [0, 1], floats: [0.5, 0.9] });

  it('keeps to its priorities for ever while nobody touches the same object', () => {
    for (let seed = 0; seed < 20; seed++) {
      const strategy = conflictPct(new Random(seed), HINTS);
      const taken = new Set(Array.from({ length: 200 }, (_, step) => strategy.pick(view([MINE, ELSEWHERE], { step }))));

      expect(taken.size).toBe(1);
    }
  });

  it('lowers the priority of whoever is first where two touch one object, at the drawn conflicts only', () => {
    const strategy = conflictPct(drawsFor(), HINTS);
    const items = view([MINE, THEIRS]);

    expect(strategy.pick(items)).toBe(MINE);
    expect(strategy.pick(items)).toBe(THEIRS);
    expect(strategy.pick(items)).toBe(THEIRS);
  });

  it('does not count steps without a conflict', () => {
    const strategy = conflictPct(scripted({ ints: [0, 1], floats: [0.5, 0.9, 0.1] }), HINTS);

    expect(strategy.pick(view([MINE, THEIRS]))).toBe(MINE);
    for (let quiet = 0; quiet < 30; quiet++) expect(strategy.pick(view([MINE, ELSEWHERE]))).toBe(MINE);
    expect(strategy.pick(view([MINE, THEIRS]))).toBe(THEIRS);
  });

  it('does not take two reads of one object for a conflict', () => {
    const strategy = conflictPct(drawsFor(), HINTS);
    const reads = [MINE, THEIRS].map((one) => ({ ...one, write: false }));

    const taken = new Set(Array.from({ length: 50 }, () => strategy.pick(view(reads)).actor));

    expect([...taken]).toEqual(['controller']);
  });

  it('changes at most five times, and sometimes so often', () => {
    const counts = new Set<number>();
    for (let seed = 0; seed < 200; seed++) {
      const strategy = conflictPct(new Random(seed), HINTS);
      const order = Array.from({ length: 60 }, () => strategy.pick(view([MINE, THEIRS])));
      counts.add(order.filter((one, index) => index > 0 && one !== order[index - 1]).length);
    }

    expect(Math.max(...counts)).toBeLessThanOrEqual(5);
    expect(counts.size).toBeGreaterThan(3);
  });

  it('lets time pass when there is nothing else', () => {
    const late = timer();

    expect(conflictPct(drawsFor(), HINTS).pick(view([], { timer: late }))).toBe(late);
  });
});
