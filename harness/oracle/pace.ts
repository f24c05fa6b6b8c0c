/** Pace: how long a target is silent before it goes on of its own accord. Read from runs in which nobody disturbs it. */
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { isWrite, phaseStart } from '../model/history.ts';

/** Of the longest pause that was seen, this much is silence. */
const SAFETY = 1.5;
/** A target that pauses for longer by design is judged by what more time shows. */
const PAUSE_MAX_MS = 4_000;
/** Locks and records of what happened are no steps towards anything. */
const ASIDE = /^(events(\.events\.k8s\.io)?|leases\.coordination\.k8s\.io)$/;

/** The silence, in ms of run time, after which the target has nothing more to do. */
export function ownPauseMs(histories: readonly History[]): number {
  return Math.min(PAUSE_MAX_MS, Math.max(0, ...histories.map(longestPause)) * SAFETY);
}

/** The longest that passed between anything that it was told or asked, and its next write. */
function longestPause(history: History): number {
  const since = phaseStart(history, 'contention');
  const told = history.deliveries.map((delivery) => ({ ...delivery, writes: false }));
  const asked = history.operations.flatMap(({ actor, verb, resource, invoked }) =>
    verb === 'watch' || ASIDE.test(resource) ? [] : [{ ...invoked, actor, writes: isWrite(verb) }],
  );
  const marks = [...told, ...asked]
    .filter(({ actor, at }) => at >= since && roleOf(actor) === 'target')
    .toSorted((a, b) => a.at - b.at);
  let longest = 0;
  for (const [index, { writes, timeMs }] of marks.entries()) {
    const before = marks[index - 1];
    if (writes && before !== undefined) longest = Math.max(longest, timeMs - before.timeMs);
  }
  return longest;
}
