import { describe, expect, it } from 'vitest';
import { Random } from '../../determinism/random.ts';
import { item, timer, view } from '../test-items.ts';
import { pos } from './pos.ts';
import { scripted } from './test-draws.ts';

const HINTS = { steps: 40, conflictSteps: 10 };
const MINE = item('controller/update/a#0!sent', { touches: 'things/default/a' });
const THEIRS = item('writer-1/update/a#0!sent', { touches: 'things/default/a' });
const ELSEWHERE = item('writer-2/update/b#0!sent', { touches: 'things/default/b' });

describe('partial-order sampling', () => {
  it('takes the highest priority, drawn once per pending item', () => {
    // The second item draws first.
    const draws = scripted({ floats: [0.9, 0.3, 0.6] });
    const strategy = pos(draws, HINTS);

    expect(strategy.pick(view([MINE, ELSEWHERE]))).toBe(ELSEWHERE);
    expect(strategy.pick(view([MINE, item('gc/get/c#0!sent', { touches: 'things/default/c' })])).actor).toBe('gc');
    expect(draws.drawn.floats).toBe(3);
  });

  it('draws again for what conflicts with the item that happens, and for nothing else', () => {
    // The second item draws first.
    const draws = scripted({ floats: [0.5, 0.9, 0.4, 0.1, 0.95] });
    const strategy = pos(draws, HINTS);

    // THEIRS falls from 0.5 to 0.1 because MINE touches the same object; ELSEWHERE keeps its 0.4.
    expect(strategy.pick(view([MINE, THEIRS, ELSEWHERE]))).toBe(MINE);
    expect(strategy.pick(view([THEIRS, ELSEWHERE]))).toBe(ELSEWHERE);
    expect(draws.drawn.floats).toBe(4);
  });

  it('gives either order of two conflicting items about half of the runs, however much else is pending', () => {
    const others = Array.from({ length: 10 }, (_, n) =>
      item(`writer-2/update/o${n}#0!sent`, { touches: `things/default/o${n}` }),
    );
    let mineFirst = 0;
    for (let seed = 0; seed < 400; seed++) {
      const strategy = pos(new Random(seed), HINTS);
      let items = [...others, MINE, THEIRS];
      for (;;) {
        const taken = strategy.pick(view(items));
        items = items.filter((one) => one !== taken);
        if (taken === MINE) mineFirst++;
        if (taken === MINE || taken === THEIRS) break;
      }
    }

    expect(mineFirst).toBeGreaterThan(150);
    expect(mineFirst).toBeLessThan(250);
  });

  it('lets time pass when there is nothing else', () => {
    const late = timer();

    expect(pos(scripted({}), HINTS).pick(view([], { timer: late }))).toBe(late);
  });
});
