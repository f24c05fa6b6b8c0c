/**
 * Partial-order sampling: a random priority per pending item; when an item happens, those that conflict with it draw a new priority.
 * Samples orders of conflicting items evenly instead of orders of everything.
 */
import type { Item } from '../../model/item.ts';
import { conflicts } from '../../model/item.ts';
import { unreachable } from './random-walk.ts';
import type { MakeStrategy } from './strategy.ts';

export const pos: MakeStrategy = (draws) => {
  const priorities = new Map<number, number>();
  const priority = (item: Item): number => {
    let value = priorities.get(item.seq);
    if (value === undefined) priorities.set(item.seq, (value = draws.float()));
    return value;
  };
  return {
    pick: ({ items, timer }) => {
      let best: Item | undefined;
      for (const item of items) if (best === undefined || priority(item) > priority(best)) best = item;
      if (best === undefined) return timer ?? unreachable();
      priorities.delete(best.seq);
      for (const item of items) if (item !== best && conflicts(item, best)) priorities.set(item.seq, draws.float());
      return best;
    },
  };
};
