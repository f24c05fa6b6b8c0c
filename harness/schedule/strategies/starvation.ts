/**
 * Starvation: one victim (a watch stream, occasionally an actor) is blocked for a power-of-two number of steps, from a random step on.
 * Finds the effects of long staleness; everything else runs in the default order or at random.
 */
import type { Item } from '../../model/item.ts';
import { defaultItem } from '../default-order.ts';
import { randomWalk, unreachable } from './random-walk.ts';
import { taskOf } from './strategy.ts';
import type { MakeStrategy } from './strategy.ts';

const LENGTH_POWER_MAX = 7;

export const starvation: MakeStrategy = (draws, hints) => {
  const start = draws.int(Math.max(8, hints.steps));
  const end = start + 2 ** (1 + draws.int(LENGTH_POWER_MAX));
  const orderly = draws.int(2) === 0;
  const anyActor = draws.int(4) === 0;
  const walk = randomWalk(draws, hints);
  let victim: string | undefined;
  const choose = (items: readonly Item[]): void => {
    const candidates = anyActor ? items : items.filter((item) => item.kind === 'event');
    const chosen = candidates[draws.int(Math.max(1, candidates.length))];
    if (chosen !== undefined) victim = taskOf(chosen);
  };
  return {
    pick: (view) => {
      let { items } = view;
      if (view.step >= start && view.step < end) {
        if (victim === undefined) choose(items);
        const fed = items.filter((item) => taskOf(item) !== victim);
        // Even if only the victim could proceed, it is starved as long as time can pass.
        if (fed.length > 0 || view.timer !== undefined) items = fed;
      }
      if (orderly) return defaultItem(items) ?? view.timer ?? unreachable();
      return walk.pick({ ...view, items });
    },
  };
};
