/** The watches that the target has open at the end of a run: if the target stopped watching, it misses every later change. */
import { parentOf } from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../model/actor.ts';
import { roleOf } from '../model/actor.ts';
import type { History, Mark, Operation, Revision, StreamEnd } from '../model/history.ts';

export interface LostWatch {
  readonly resource: string;
  /** How the last watch ended: `ended (closed)`, `was refused (500)`, `was never opened`. */
  readonly what: string;
}

/** The parts of a history that concern watches. */
export type Watching = Pick<History, 'operations' | 'streamEnds' | 'processes'>;

/**
 * Returns the first resource whose watch is missing for a running incarnation: the target watched it, but that incarnation's last watch
 * ended and none is open or being opened, or it never watched it. A second replica that waits to become the leader may never have watched a
 * resource, so it has not given it up. Undefined if no watch is missing or no incarnation is running.
 *
 * @param of - Only check this resource.
 */
export function watchGivenUp(history: Watching, of?: string): LostWatch | undefined {
  const [first] = watchesGivenUp(history, of);
  return first;
}

/** Yields all such resources; {@link watchGivenUp} returns the first. */
export function* watchesGivenUp(history: Watching, of?: string): Generator<LostWatch> {
  const watches = history.operations.filter(({ verb, actor }) => verb === 'watch' && roleOf(actor) === 'target');
  const alive = runningIncarnations(history);
  if (alive.size === 0) return;
  const ended = new Map(history.streamEnds.map(({ stream, why }) => [stream, why]));
  for (const resource of new Set(watches.map((watch) => watch.resource))) {
    if (of !== undefined && resource !== of) continue;
    const own = watches.filter((watch) => alive.has(watch.actor) && watch.resource === resource);
    const lives = [...new Set(own.map((watch) => watch.actor))];
    const ends = lives.map((actor) =>
      endOf(
        own.filter((watch) => watch.actor === actor),
        ended,
      ),
    );
    const what = lives.length === 0 ? 'was never opened' : ends.find((end) => end !== undefined);
    if (what !== undefined) yield { resource, what };
  }
}

/**
 * Reports whether an incarnation of the target could receive changes of a resource at a tick: it had a watch of that resource open, or
 * never requested one. Clients wait for seconds or more before they reopen a broken watch.
 */
export function couldHear(
  { operations, streamEnds }: Pick<History, 'operations' | 'streamEnds'>,
  { actor, resource }: Pick<Operation, 'actor' | 'resource'>,
  at: number,
): boolean {
  const opened = openedBefore(operations, { actor, resource }, at);
  return opened.length === 0 || opened.some((watch) => !isOver(watch, streamEnds, at));
}

/** Reports whether an incarnation of the target had a watch open at a tick that covers a namespace. */
export function hasOpenWatch(
  { operations, streamEnds }: Pick<History, 'operations' | 'streamEnds'>,
  of: Pick<Operation, 'actor' | 'resource' | 'namespace'>,
  at: number,
): boolean {
  return openedBefore(operations, of, at).some(
    (watch) => (watch.namespace === '' || watch.namespace === of.namespace) && !isOver(watch, streamEnds, at),
  );
}

function openedBefore(
  operations: readonly Operation[],
  { actor, resource }: Pick<Operation, 'actor' | 'resource'>,
  at: number,
): readonly Operation[] {
  return operations.filter(
    (one) => one.verb === 'watch' && one.actor === actor && one.resource === resource && (one.answered?.at ?? at) < at,
  );
}

function isOver({ label, outcome }: Operation, streamEnds: readonly StreamEnd[], at: number): boolean {
  return outcome.type !== 'ok' || streamEnds.some((end) => end.stream === label && end.at < at);
}

/**
 * Returns the objects that the target created, after a given moment, for an owner that was already deleted, while the target had no watch
 * open that could have delivered the deletion.
 */
export function madeForTheGone(history: History, since: Mark): readonly Revision[] {
  const gone = new Map<string, Revision>();
  return history.revisions.filter((revision) => {
    if (revision.type === 'DELETED') gone.set(revision.uid, revision);
    if (revision.type !== 'ADDED' || revision.at < since.at || roleOf(revision.actor) !== 'target') return false;
    const owner = gone.get(parentOf(revision.object)?.uid ?? '');
    const asked = history.operations[revision.op]?.invoked.at ?? revision.at;
    return owner !== undefined && !couldHear(history, { actor: revision.actor, resource: owner.resource }, asked);
  });
}

/** Returns how one incarnation's watches of a resource ended; undefined if one is open, or if the incarnation ended the last one itself. */
function endOf(
  watches: readonly Operation[],
  ended: ReadonlyMap<string, StreamEnd['why']>,
): LostWatch['what'] | undefined {
  const open = watches.some(
    ({ outcome, label }) => outcome.type === 'pending' || (outcome.type === 'ok' && !ended.has(label)),
  );
  const last = watches.at(-1);
  if (open || last === undefined) return undefined;
  const why = ended.get(last.label);
  // A watch that the actor ends itself may no longer be needed.
  if (why === 'aborted-by-actor') return undefined;
  if (why !== undefined) return `ended (${why})`;
  const { outcome } = last;
  return outcome.type === 'fail' ? `was refused (${outcome.code || outcome.reason})` : 'was never answered';
}

/** Returns the incarnations that have sent a request and have not ended. */
function runningIncarnations({ processes, operations }: Watching): ReadonlySet<ActorId> {
  const alive = new Set(operations.flatMap(({ actor }) => (roleOf(actor) === 'target' ? [actor] : [])));
  for (const { actor, kind } of processes) {
    if (kind === 'crashed' || kind === 'exited' || kind === 'stopped') alive.delete(actor);
  }
  return alive;
}
