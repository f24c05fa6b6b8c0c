/** Pace: how long a target stays silent before it acts by itself, measured in undisturbed runs. */
import { isAside } from '../model/aside.ts';
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { isWrite, phaseStart } from '../model/history.ts';

/** A target that has been silent for this multiple of its longest observed pause has finished. */
const SAFETY = 1.5;
/** The upper limit of {@link ownPauseMs}: for targets with longer pauses by design, an extended run decides instead. */
const PAUSE_MAX_MS = 4_000;

/** Returns how long the target must be idle, in ms of run time, before it has certainly finished, even if it polls. */
export function ownPauseMs(histories: readonly History[]): number {
  const longest = Math.max(0, ...histories.map((history) => Math.max(longestPause(history), longestRound(history))));
  return Math.min(PAUSE_MAX_MS, longest * SAFETY);
}

/**
 * Returns the longest interval, in ms, between two identical reads after the last change: a polling target may notice the next change that
 * late.
 */
function longestRound({ revisions, operations }: History): number {
  const since = revisions.findLast(({ resource }) => !isAside(resource))?.at ?? 0;
  const lastMs = new Map<string, number>();
  let longest = 0;
  for (const { actor, verb, resource, namespace, name, invoked } of operations) {
    if (invoked.at <= since || roleOf(actor) !== 'target') continue;
    if (isWrite(verb) || verb === 'watch' || resource === '' || isAside(resource)) continue;
    const read = [actor, verb, resource, namespace, name].join(' ');
    longest = Math.max(longest, invoked.timeMs - (lastMs.get(read) ?? invoked.timeMs));
    lastMs.set(read, invoked.timeMs);
  }
  return longest;
}

/** Returns the longest interval, in ms, between a write of the target and whatever the target received or requested just before. */
function longestPause(history: History): number {
  const since = phaseStart(history, 'contention');
  const received = history.deliveries.map((delivery) => ({ ...delivery, writes: false }));
  const asked = history.operations.flatMap(({ actor, verb, resource, invoked }) =>
    verb === 'watch' || isAside(resource) ? [] : [{ ...invoked, actor, writes: isWrite(verb) }],
  );
  const marks = [...received, ...asked]
    .filter(({ actor, at }) => at >= since && roleOf(actor) === 'target')
    .toSorted((a, b) => a.at - b.at);
  let longest = 0;
  for (const [index, { writes, timeMs }] of marks.entries()) {
    const before = marks[index - 1];
    if (writes && before !== undefined) longest = Math.max(longest, timeMs - before.timeMs);
  }
  return longest;
}
