/** Uniform over everything that can happen: finds tight multi-step orders, blind to long staleness. */
import type { MakeStrategy } from './strategy.ts';

/** One in so many steps lets time pass although something else could happen. */
const TIME_PASSES_ONE_IN = 24;

export const randomWalk: MakeStrategy = (draws) => ({
  pick: ({ items, timer }) => {
    const [first] = items;
    if (timer !== undefined && (first === undefined || draws.int(TIME_PASSES_ONE_IN) === 0)) return timer;
    return items[draws.int(items.length)] ?? first ?? unreachable();
  },
});

/** A view is never empty; this keeps the type honest without a cast. */
export function unreachable(): never {
  throw new TypeError('a strategy was asked to pick from nothing');
}
