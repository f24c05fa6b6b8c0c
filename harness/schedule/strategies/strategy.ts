/**
 * A strategy orders what is pending; `search-scheduler.ts` adds faults and the fair tail around it.
 *
 * To add one: a file beside this one with a function that makes it, a line in `index.ts`.
 */
import type { Item, View } from '../../model/item.ts';
import type { Draws } from './draws.ts';

export interface Strategy {
  /** Which of `view.items` (never empty) or `view.timer` happens next. */
  pick(view: View): Item;
}

/** What a strategy may know beforehand. */
export interface StrategyHints {
  /** Items that contention took in the reference run. */
  readonly steps: number;
  /** Steps of the reference run at which two pending items touched one object. */
  readonly conflictSteps: number;
}

export type MakeStrategy = (draws: Draws, hints: StrategyHints) => Strategy;

/**
 * The task that an item belongs to: the unit of priorities. A watch stream is a task of its own, so that a strategy can starve one
 * cache while its actor goes on writing.
 */
export function taskOf(item: Item): string {
  if (item.kind === 'event') return item.stream;
  return item.kind === 'timer' ? 'time' : item.actor;
}
