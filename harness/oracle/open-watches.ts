/** Which watches the target has open at the end of a run: one that is gone for good explains whatever is not noticed any more. */
import type { ActorId } from '../model/actor.ts';
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';

export interface LostWatch {
  readonly resource: string;
  /** `ended (closed)`, `was refused (500)`, `was never opened`: what became of the last one. */
  readonly what: string;
}

/**
 * The first resource that the target watched, and that its incarnation alive at the end has no watch of, open or being opened.
 * Undefined when all are there, or when nobody is alive.
 */
export function watchGivenUp(history: History): LostWatch | undefined {
  const watches = history.operations.filter(({ verb, actor }) => verb === 'watch' && roleOf(actor) === 'target');
  const alive = lastAlive(history);
  if (alive === undefined) return undefined;
  const ended = new Map(history.streamEnds.map(({ stream, why }) => [stream, why]));
  for (const resource of new Set(watches.map((watch) => watch.resource))) {
    const own = watches.filter((watch) => watch.actor === alive && watch.resource === resource);
    const open = own.some(
      ({ outcome, label }) => outcome.type === 'pending' || (outcome.type === 'ok' && !ended.has(label)),
    );
    if (open) continue;
    const last = own.at(-1);
    const why = last === undefined ? undefined : ended.get(last.label);
    if (last === undefined) return { resource, what: 'was never opened' };
    // What it ends itself it may be done with.
    if (why === 'aborted-by-actor') continue;
    const { outcome } = last;
    const refused = outcome.type === 'fail' ? `was refused (${outcome.code || outcome.reason})` : 'was never answered';
    return { resource, what: why === undefined ? refused : `ended (${why})` };
  }
  return undefined;
}

function lastAlive({ processes, operations }: History): ActorId | undefined {
  const actor = operations.findLast((operation) => roleOf(operation.actor) === 'target')?.actor;
  const over = processes.some(
    (event) => event.actor === actor && (event.kind === 'crashed' || event.kind === 'exited'),
  );
  return over ? undefined : actor;
}
