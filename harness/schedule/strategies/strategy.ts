/**
 * A strategy orders what is pending; `search-scheduler.ts` adds faults and the fair tail around it.
 *
 * To add one: a file beside this one with a function that makes it, a line in `index.ts`.
 */
import type { Link } from '../../model/connection-fault.ts';
import type { Item, View } from '../../model/item.ts';
import type { FaultAction } from '../../model/schedule.ts';
import type { Draws } from './draws.ts';

export interface Strategy {
  /** Which of `view.items` (never empty) or `view.timer` happens next. */
  pick(view: View): Item;
  /** What happens to the item just picked besides; left out where that kind of fault is switched off. */
  fault?(item: Item): FaultAction | undefined;
}

/** What a strategy may know beforehand. */
export interface StrategyHints {
  /** Items that contention took in the reference run. */
  readonly steps: number;
  /** Steps of the reference run at which two pending items touched one object. */
  readonly conflictSteps: number;
  /** The kinds that the target watches, `pods`, `widgets.example.com`. */
  readonly watched?: readonly string[];
  /** How long the target's locks are good for, where it was seen to hold one. */
  readonly lockMs?: number;
  /** Time passes at once where nothing else can happen, so that what comes late costs nothing. */
  readonly mayDelay?: boolean;
  /** Where connections may be disturbed; absent: nowhere. */
  readonly links?: readonly Link[];
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
