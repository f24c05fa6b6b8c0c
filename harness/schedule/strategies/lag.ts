/**
 * Lag: the target gets no events of one kind, for a number of its own writes or of other actors' operations, or until it has come to rest.
 * Finds controllers that count, create or compare from a cache that has not caught up. Everything else runs in the default order, or at
 * random.
 */
import type { Item } from '../../model/item.ts';
import { hasProgram } from '../default-order.ts';
import { isTargetWrite, kindOf, Orderly, watchedKind, withoutEvents } from './by-kind.ts';
import { randomWalk } from './random-walk.ts';
import type { MakeStrategy } from './strategy.ts';

/** The hold begins after one of these numbers of writes of the target; mostly at once. */
const BEGIN_WRITES = [0, 0, 0, 1, 1, 2, 3, 5] as const;
/** The hold ends after one of these numbers of further writes, or with the run. */
const END_WRITES = [1, 2, 3, 4, 6, 8, 12, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
/** In one run of this many, everything else happens at random. */
const RANDOM_ONE_IN = 4;

export const lag: MakeStrategy = (draws, hints) => {
  const kindIn = watchedKind(draws, hints);
  const begin = BEGIN_WRITES[draws.int(BEGIN_WRITES.length)] ?? 0;
  const end = begin + (END_WRITES[draws.int(END_WRITES.length)] ?? 1);
  const walk = draws.int(RANDOM_ONE_IN) === 0 ? randomWalk(draws, hints) : undefined;
  const orderly = new Orderly();
  let writes = 0;
  return {
    pick: (view) => {
      const kind = kindIn(view);
      const items = writes >= begin && writes < end ? withoutEvents(view, kind) : view.items;
      const item = walk === undefined ? orderly.pick(view, items) : walk.pick({ ...view, items });
      if (isTargetWrite(item)) writes++;
      return item;
    },
  };
};

/** The largest number of writers' operations that a hold lasts for. */
const OPERATIONS_MAX = 3;

/** Lets the target observe a change and its reversal together: a watch is held while other actors complete this many operations. */
export const unobservedState: MakeStrategy = (draws, hints) => {
  const kindIn = watchedKind(draws, hints);
  let left = 1 + draws.int(OPERATIONS_MAX);
  const begin = draws.int(2) * draws.int(3);
  const orderly = new Orderly();
  let writes = 0;
  return {
    pick: (view) => {
      const kind = kindIn(view);
      const others = view.items.filter((item) => hasProgram(item.actor));
      for (const actor of view.completed) if (hasProgram(actor) && writes >= begin) left--;
      const holding = writes >= begin && left > 0 && others.length > 0;
      if (!holding) return noted(orderly.pick(view, view.items));
      // The actors that make and revert the change go first, as otherwise the target would act in between.
      const [first] = others;
      if (first !== undefined && kindOf(first) === kind) orderly.run(first.actor);
      return noted(orderly.pick(view, withoutEvents(view, kind)));
    },
  };

  function noted(item: Item): Item {
    if (isTargetWrite(item)) writes++;
    return item;
  }
};
