/**
 * Limits how late the target's items are: an item that has waited at the gate longer than a real cluster would take is released, even if a
 * strategy or a schedule holds it back. Time does not pass beyond that moment.
 *
 * Owns: how long each item has waited. Does not own: how late it may be, and delays that a schedule asks for (`delays.ts`). Start at {@link
 * neverTooLate}.
 */
import { askedMs, type PendingItem } from '../../gate/exchange.ts';
import { roleOf } from '../../model/actor.ts';
import type { Choice, Scheduler, View } from '../../model/item.ts';
import { latestMs, OWNER } from './delays.ts';
import { wrapped } from './pump.ts';
import type { World } from './world.ts';

/** Wraps a scheduler so that no item of the target waits too long. */
export function neverTooLate(scheduler: Scheduler, world: World): Scheduler {
  const { time } = world.host;
  const since = new Map<number, number>();
  const soonest = (nowMs: number): { readonly item: PendingItem; readonly untilMs: number } | undefined => {
    let first: { readonly item: PendingItem; readonly untilMs: number } | undefined;
    for (const item of world.gate.pending) {
      if (roleOf(item.actor) !== 'target') continue;
      let sinceMs = since.get(item.seq);
      if (sinceMs === undefined) since.set(item.seq, (sinceMs = nowMs));
      const untilMs = latestMs(item, sinceMs);
      if (first === undefined || untilMs < first.untilMs) first = { item, untilMs };
    }
    return first;
  };
  const next = (view: View): Choice | undefined => {
    const nowMs = time.now();
    const first = soonest(nowMs);
    if (first !== undefined && nowMs >= first.untilMs) {
      const sinceMs = askedMs(first.item) ?? since.get(first.item.seq) ?? nowMs;
      world.recorder.decision('release', first.item.label, `after ${Math.round((nowMs - sinceMs) / 1000)} s`);
      return { item: first.item };
    }
    const choice = scheduler.next(view);
    // The scheduler chose a timer that is later than the item's limit. This timer fires at the limit, and does nothing but end the wait.
    if (choice?.item.kind === 'timer' && first !== undefined && (time.next()?.atMs ?? 0) > first.untilMs)
      time.after(Math.max(0, first.untilMs - nowMs), OWNER, () => {});
    return choice;
  };
  return wrapped(scheduler, next);
}
