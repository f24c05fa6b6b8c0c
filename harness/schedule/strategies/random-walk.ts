/** Picks uniformly from everything that can happen: finds tight multi-step orders, but no long staleness. */
import type { MakeStrategy } from './strategy.ts';

/** One step in this many lets time pass although another item is pending. */
const TIME_PASSES_ONE_IN = 24;

export const randomWalk: MakeStrategy = (draws) => ({
  pick: ({ items, timer }) => {
    const [first] = items;
    if (timer !== undefined && (first === undefined || draws.int(TIME_PASSES_ONE_IN) === 0)) return timer;
    return items[draws.int(items.length)] ?? first ?? unreachable();
  },
});

/** Throws. A view is never empty; this satisfies the type checker without a cast. */
export function unreachable(): never {
  throw new TypeError('a strategy was asked to pick from nothing');
}
