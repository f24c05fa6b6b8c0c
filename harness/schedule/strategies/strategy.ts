/**
 * A strategy chooses among pending items; `search-scheduler.ts` adds faults and the fair tail.
 *
 * To add a strategy, add a file beside this one with a function that creates it, and a line in `index.ts`.
 */
import type { Link } from '../../model/connection-fault.ts';
import type { Item, View } from '../../model/item.ts';
import type { FaultAction } from '../../model/schedule.ts';
import type { Draws } from './draws.ts';

export interface Strategy {
  /** Picks the next of `view.items` (never empty) or `view.timer`. */
  pick(view: View): Item;
  /** Returns an optional fault for the item just picked, which is ignored if that kind of fault is switched off. */
  fault?(item: Item): FaultAction | undefined;
}

/** Facts that a strategy may use. */
export interface StrategyHints {
  /** The number of items in contention in the reference run. */
  readonly steps: number;
  /** Steps of the reference run at which two pending items touched one object. */
  readonly conflictSteps: number;
  /** The kinds that the target watches, `pods`, `widgets.example.com`. */
  readonly watched?: readonly string[];
  /** The duration of the target's locks in ms, if it was seen to hold one. */
  readonly lockMs?: number;
  /** True if delays cost no real time, because time advances at once when nothing else can happen. */
  readonly mayDelay?: boolean;
  /** Links whose connections may be disturbed; absent if no link may be. */
  readonly links?: readonly Link[];
}

export type MakeStrategy = (draws: Draws, hints: StrategyHints) => Strategy;

/**
 * Returns the task of an item, the unit of priorities. A watch stream is a separate task, so that a strategy can starve one cache while its
 * actor continues to write.
 */
export function taskOf(item: Item): string {
  if (item.kind === 'event') return item.stream;
  return item.kind === 'timer' ? 'time' : item.actor;
}
