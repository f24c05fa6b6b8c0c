/** Watches that restart again and again from a version that the server no longer has: only a new list would help. */
import { roleOf, type ActorId } from '../model/actor.ts';
import type { History, Operation } from '../model/history.ts';

/** A client that lists again after an expired watch never makes this many such watches in a row, however patiently it retries. */
const AGAIN_MIN = 10;

export interface ExpiredAgain {
  readonly actor: ActorId;
  readonly resource: string;
  /** The version from which all of these watches start. */
  readonly version: string;
  readonly watches: readonly Operation[];
}

/** Returns the target's watches that expired again and again until the end of the run, without a list or another watch in between. */
export function expiredAgain({
  operations,
  streamEnds,
}: Pick<History, 'operations' | 'streamEnds'>): readonly ExpiredAgain[] {
  const expired = new Set(streamEnds.flatMap(({ stream, why }) => (why === 'expired' ? [stream] : [])));
  if (expired.size < AGAIN_MIN) return [];
  const latest = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { actor, verb, resource, namespace, label, query } = operation;
    if (roleOf(actor) !== 'target' || (verb !== 'watch' && verb !== 'list')) continue;
    const key = `${actor} ${resource} ${namespace}`;
    const before = latest.get(key);
    const isAgain = before !== undefined && versionOf(before[0]) === versionOf(operation);
    if (verb === 'watch' && expired.has(label)) {
      if (isAgain) before.push(operation);
      else latest.set(key, [operation]);
    }
    // The run may end before the last watch expires as well.
    else if (verb === 'list' || query['sendInitialEvents'] === 'true' || !isAgain) latest.delete(key);
  }
  return [...latest.values()].flatMap((watches) => {
    const [first] = watches;
    if (first === undefined || watches.length < AGAIN_MIN) return [];
    return [{ actor: first.actor, resource: first.resource, version: versionOf(first), watches }];
  });
}

function versionOf(operation: Operation | undefined): string {
  return operation?.query['resourceVersion'] ?? '';
}
