/**
 * What the aimed strategies have in common: everything in the default order, one writer's operation at a time, with the watch
 * events of one kind kept back for a while.
 *
 * Owns: no choice of its own; a strategy says which kind, and when it is let go. Start at {@link Orderly}.
 */
import { roleOf } from '../../model/actor.ts';
import type { Item, View } from '../../model/item.ts';
import { defaultItem, hasProgram, itemOfRun } from '../default-order.ts';
import type { Draws } from './draws.ts';
import { unreachable } from './random-walk.ts';
import type { StrategyHints } from './strategy.ts';

/** `pods`, `widgets.example.com`; empty for what is about no object. */
export function kindOf({ touches }: Item): string {
  return touches.slice(0, Math.max(0, touches.indexOf('/')));
}

/** A write of the target on its way to the server. */
export function isTargetWrite(item: Item): boolean {
  return item.kind === 'send' && item.write && roleOf(item.actor) === 'target';
}

/**
 * A kind that the target watches, once one is known: from the reference run, so that a hold can begin before the first event, or
 * that of the first event.
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

/** The default order, with operations of writers run whole once begun. */
export class Orderly {
  #running: string | undefined;

  /** Turns to this writer until its operation is over. */
  run(actor: string): void {
    this.#running = actor;
  }

  /** What is left when no writer begins an operation, if only some time; all of it when nothing else could happen. */
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

/** What is left when the watch events of a kind are kept from the target; all of it when nothing else could ever happen. */
export function withoutEvents(view: View, kind: string | undefined): readonly Item[] {
  if (kind === undefined) return view.items;
  const left = view.items.filter(
    (item) => item.kind !== 'event' || roleOf(item.actor) !== 'target' || kindOf(item) !== kind,
  );
  return left.length > 0 || view.timer !== undefined ? left : view.items;
}
