/**
 * Differences between the final state and that of a fresh copy that do no harm as long as nothing else differs.
 *
 * Owns: which these are. Does not own: what follows from them (`convergence`). Start at {@link isTrace}, {@link isNote},
 * {@link isMadeOnce}, {@link isEmptyOrAbsent}.
 */
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';
import { isEmptyValue, isTime } from '../model/leaf.ts';
import { groupOf, type Difference } from './final-state.ts';
import { indexOf, names } from './history-index.ts';

/**
 * Reports whether a difference is only a note, where a fresh incarnation is at work: frameworks use annotations to remember which handler to
 * call again. (An annotation that other clients also write is not the target's, and does not count as a difference.)
 */
export function isNote({ what, path, expected }: Difference): boolean {
  return what === 'wrong-value' && expected === undefined && path.startsWith('metadata.annotations');
}

const EVENTS: ReadonlySet<string> = new Set(['attempt', 'retry', 'failure', 'restart', 'collision']);
const COUNTS: ReadonlySet<string> = new Set([...EVENTS, 'count', 'counter', 'number']);

/**
 * Reports whether a field counts what was tried or made, by its name: `submissionAttempts`, `retryCount`, `failures`, `collisionCount`, an
 * annotation `example.com/revision`.
 */
function countsEvents(path: string): boolean {
  const [, name = ''] = /([A-Za-z]+)(?:"\])?$/.exec(path) ?? [];
  const words = name.split(/(?=[A-Z])/).map((word) => word.toLowerCase().replace(/ies$/, 'y').replace(/s$/, ''));
  const last = words.at(-1) ?? '';
  return name === 'revision' || (words.some((word) => EVENTS.has(word)) && COUNTS.has(last));
}

/** Returns a number, also one that is written as a text. */
function numberOf(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : undefined;
}

/**
 * Reports whether a difference that a fresh incarnation leaves alone is only a trace of what happened, which a fresh copy has never met: an
 * annotation, or a time or number in the status such as `lastFailureTime` or `retryCount`, that objects of this kind never had in the
 * undisturbed runs; or a higher count of attempts or revisions, of which a fresh copy needed fewer.
 */
export function isTrace(history: History, { what, path, expected, actual, uid }: Difference): boolean {
  if (what !== 'wrong-value') return false;
  const [before, after] = [numberOf(expected), numberOf(actual)];
  if (before !== undefined && after !== undefined)
    return /^(?:status\.|metadata\.annotations)/.test(path) && countsEvents(path) && after > before;
  if (expected !== undefined) return false;
  const isInStatus = path.startsWith('status.') && !path.endsWith('observedGeneration');
  if (!path.startsWith('metadata.annotations') && !(isInStatus && (typeof actual === 'number' || isTime(actual))))
    return false;
  const index = indexOf(history);
  const last = uid === undefined ? undefined : index.chain(uid).at(-1);
  const owned = history.reference?.ownedLeaves;
  if (last === undefined || owned?.[index.role(last)] === undefined) return false;
  return !Object.keys(owned).some((role) => role.startsWith(`${last.resource}:`) && names(owned, role, path));
}

/**
 * Reports whether the value belongs to an object that the target creates and never updates, even if the owner's spec changes: it stays as
 * it was at creation, with or without disturbance.
 */
export function isMadeOnce(
  { reference, names: named, revisions }: History,
  { what, resource, object, uid }: Difference,
): boolean {
  if (what !== 'wrong-value' || uid === undefined || reference?.updates === undefined) return false;
  const role = `${resource}:${groupOf(named[uid] ?? object.slice(object.indexOf('/') + 1))}`;
  if (reference.updates.includes(role) || reference.deletes.includes(role)) return false;
  const own = revisions.filter((revision) => revision.uid === uid && roleOf(revision.actor) === 'target');
  return own[0]?.type === 'ADDED' && own.every(({ type }) => type === 'ADDED');
}

/**
 * Reports whether a value is an empty map, an empty list or null on one side and absent on the other. Struct encoders write one for the
 * other, and a target that leaves such a value alone treats both as equal. In a status, the same holds for `""`, `0` and `false`: an error
 * that is over is cleared or removed.
 */
export function isEmptyOrAbsent({ what, path, expected, actual }: Difference): boolean {
  if (what !== 'wrong-value') return false;
  if (path.startsWith('status.') && (expected === undefined || actual === undefined))
    return isEmptyValue(expected) && isEmptyValue(actual);
  return isEmpty(expected) && isEmpty(actual);
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object') return value === undefined;
  return value === null || Object.keys(value).length === 0;
}
