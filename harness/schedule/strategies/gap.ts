/**
 * A gap in one watch: the target receives no events of a kind while other actors act; then the watch has expired, and the target lists
 * again. Finds controllers that need to see every event: an object that was created and deleted in the gap is never shown, and one that
 * was replaced looks like a change.
 */
import type { Item, View } from '../../model/item.ts';
import { hasProgram } from '../default-order.ts';
import { isEventOf, isTargetWrite, Orderly, watchedKind } from './by-kind.ts';
import type { MakeStrategy } from './strategy.ts';

/** How many writes the target makes before the gap begins; half of the time none. */
const BEGIN_WRITES = [0, 0, 0, 1, 2, 4] as const;
/** How many operations of other actors complete before the gap ends; half of the time all. The target first handles what it can. */
const OPERATIONS = [1, 2, 3, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

export const gap: MakeStrategy = (draws, hints) => {
  const kindIn = watchedKind(draws, hints);
  const begin = BEGIN_WRITES[draws.int(BEGIN_WRITES.length)] ?? 0;
  let left = OPERATIONS[draws.int(OPERATIONS.length)] ?? 1;
  const orderly = new Orderly();
  let kind: string | undefined;
  let writes = 0;
  let isOver = false;
  return {
    pick: (view) => {
      kind = kindIn(view);
      const isHeld = writes >= begin && !isOver;
      if (isHeld) for (const actor of view.completed) if (hasProgram(actor)) left--;
      const item = orderly.pick(view, isHeld ? othersOf(view) : view.items);
      if (isTargetWrite(item)) writes++;
      return item;
    },
    fault: (item) => {
      if (isOver || writes < begin || !isEventOf(item, kind)) return undefined;
      isOver = true;
      return { do: 'expire-watch' };
    },
  };

  /** Returns what may happen during the gap; if nothing is left, what ends it. */
  function othersOf({ items }: View): readonly Item[] {
    const others = items.filter((item) => !isEventOf(item, kind) && (left > 0 || !hasProgram(item.actor)));
    if (others.length > 0) return others;
    const events = items.filter((item) => isEventOf(item, kind));
    return events.length > 0 ? events : items;
  }
};
