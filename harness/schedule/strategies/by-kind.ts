/**
 * The common base of the aimed strategies: default order, one writer's operation at a time, and watch events of one kind withheld for a
 * while.
 *
 * Makes no choice of its own: a strategy decides which kind to withhold, and when to release it. Start at {@link Orderly}.
 */
import { roleOf } from '../../model/actor.ts';
import type { Item, View } from '../../model/item.ts';
import { defaultItem, hasProgram, itemOfRun } from '../default-order.ts';
import type { Draws } from './draws.ts';
import { unreachable } from './random-walk.ts';
import type { StrategyHints } from './strategy.ts';

/** Returns the resource of an item, such as `pods` or `widgets.example.com`; empty if the item has none. */
export function kindOf({ touches }: Item): string {
  return touches.slice(0, Math.max(0, touches.indexOf('/')));
}

/** Reports whether the item is a write of the target on its way to the server. */
export function isTargetWrite(item: Item): boolean {
  return item.kind === 'send' && item.write && roleOf(item.actor) === 'target';
}

/**
 * Returns a function that picks a kind that the target watches: one from the reference run, so that a hold can begin before the first
 * event, else the kind of the first event.
 */
export function watchedKind(draws: Draws, { watched = [] }: StrategyHints): (view: View) => string | undefined {
  let kind = watched[draws.int(Math.max(1, watched.length))];
  return ({ items }) => {
    if (kind !== undefined) return kind;
    const event = items.find((item) => item.kind === 'event' && roleOf(item.actor) === 'target' && item.touches !== '');
    if (event !== undefined) kind = kindOf(event);
    return kind;
  };
}

/** The default order, in which operations of writers complete once begun. */
export class Orderly {
  #running: string | undefined;

  /** Runs this writer until its operation completes. */
  run(actor: string): void {
    this.#running = actor;
  }

  /** Drops the items that begin a writer's operation, as long as other items or time are left; otherwise returns all items. */
  withoutBeginnings({ timer }: View, items: readonly Item[]): readonly Item[] {
    const left = items.filter((item) => !hasProgram(item.actor) || item.actor === this.#running);
    return left.length > 0 || timer !== undefined ? left : items;
  }

  pick(view: View, items: readonly Item[]): Item {
    if (this.#running !== undefined && view.completed.has(this.#running)) this.#running = undefined;
    const own = this.#running === undefined ? undefined : itemOfRun(items, { actor: this.#running });
    if (own !== undefined) return own;
    const item = defaultItem(items);
    if (item === undefined) return view.timer ?? unreachable();
    this.#running = hasProgram(item.actor) ? item.actor : undefined;
    return item;
  }
}

/** Reports whether the item is a watch event of a kind for the target. */
export function isEventOf(item: Item, kind: string | undefined): boolean {
  return item.kind === 'event' && roleOf(item.actor) === 'target' && kindOf(item) === kind;
}

/** Drops the target's watch events of a kind. Returns all items if that would leave neither items nor a timer. */
export function withoutEvents(view: View, kind: string | undefined): readonly Item[] {
  if (kind === undefined) return view.items;
  const left = view.items.filter((item) => !isEventOf(item, kind));
  return left.length > 0 || view.timer !== undefined ? left : view.items;
}
