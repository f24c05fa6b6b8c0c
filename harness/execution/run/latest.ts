/**
 * Nothing that the target waits for is later than on a real cluster: what has waited at the gate for so long happens, whatever a strategy or
 * a schedule holds it back for. Time that passes stops there.
 *
 * Owns: since when each item waits. Does not own: delays that a schedule asks for (`delays.ts`). Start at {@link neverTooLate}.
 */
import { roleOf } from '../../model/actor.ts';
import type { Choice, Item, Scheduler, View } from '../../model/item.ts';
import { LATE_MAX_MS } from '../../schedule/delays.ts';
import { OWNER } from './delays.ts';
import type { World } from './world.ts';

/** The same scheduler, for which nothing waits longer than {@link LATE_MAX_MS} of run time. */
export function neverTooLate(scheduler: Scheduler, world: World): Scheduler {
  const { time } = world.host;
  const since = new Map<number, number>();
  const oldest = (items: readonly Item[]): Item | undefined => {
    let first: Item | undefined;
    for (const item of items) {
      if (roleOf(item.actor) !== 'target') continue;
      const ms = since.get(item.seq) ?? time.now();
      since.set(item.seq, ms);
      if (first === undefined || ms < (since.get(first.seq) ?? 0)) first = item;
    }
    return first;
  };
  const next = (view: View): Choice | undefined => {
    const first = oldest(view.items);
    const untilMs = first === undefined ? Number.POSITIVE_INFINITY : (since.get(first.seq) ?? 0) + LATE_MAX_MS;
    if (first !== undefined && time.now() >= untilMs) {
      world.recorder.decision('release', first.label, `after ${LATE_MAX_MS / 1000} s`);
      return { item: first };
    }
    const choice = scheduler.next(view);
    // It comes first then, and is over as soon as it was set.
    if (choice?.item.kind === 'timer' && (time.next()?.atMs ?? 0) > untilMs)
      time.after(untilMs - time.now(), OWNER, () => {});
    return choice;
  };
  return { holding: () => scheduler.holding(), next };
}
