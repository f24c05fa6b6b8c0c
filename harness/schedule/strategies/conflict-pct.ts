/**
 * Conflict-aware PCT(d): random task priorities, and d-1 priority changes placed only at steps where two pending items touch one object.
 * With n tasks and k such steps, the probability of hitting an order of depth d is at least 1/(n·k^(d-1)).
 */
import type { Item } from '../../model/item.ts';
import { conflicts } from '../../model/item.ts';
import { unreachable } from './random-walk.ts';
import { taskOf } from './strategy.ts';
import type { MakeStrategy } from './strategy.ts';

const DEPTH_MIN = 2;
const DEPTH_MAX = 6;

export const conflictPct: MakeStrategy = (draws, hints) => {
  const depth = DEPTH_MIN + draws.int(DEPTH_MAX - DEPTH_MIN + 1);
  const horizon = Math.max(4, hints.conflictSteps);
  const changes = new Set<number>();
  for (let i = 1; i < depth; i++) changes.add(draws.int(horizon));
  const priorities = new Map<string, number>();
  let lowest = 0;
  let conflictSteps = 0;
  const priority = (item: Item): number => {
    const task = taskOf(item);
    let value = priorities.get(task);
    if (value === undefined) priorities.set(task, (value = draws.float()));
    return value;
  };
  const highest = (items: readonly Item[]): Item | undefined => {
    let best: Item | undefined;
    for (const item of items) if (best === undefined || priority(item) > priority(best)) best = item;
    return best;
  };
  return {
    pick: ({ items, timer }) => {
      const best = highest(items);
      if (best === undefined) return timer ?? unreachable();
      if (items.some((item) => item !== best && conflicts(item, best)) && changes.has(conflictSteps++)) {
        priorities.set(taskOf(best), --lowest);
        return highest(items) ?? best;
      }
      return best;
    },
  };
};
