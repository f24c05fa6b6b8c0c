/** Finds the objects that a story is about. */
import { parentOf } from 'stalemate-apiserver/objects/object';
import type { Violation } from '../model/check-result.ts';
import type { Revision } from '../model/history.ts';
import { keyOf, type HistoryIndex } from './history-index.ts';

/**
 * Returns the keys of the objects that a violation's operations and revisions touch. If children are created or deleted, the
 * owner and the siblings are included, because their number matters.
 */
export function involvedKeys(index: HistoryIndex, violation: Violation): ReadonlySet<string> {
  const keys = new Set<string>();
  const shown = new Set(violation.revisions);
  const guilty = violation.operations[0];
  for (const id of violation.operations) {
    const operation = index.operation(id);
    if (operation === undefined || operation.verb === 'list' || operation.verb === 'watch') continue;
    for (const key of index.keysOf(operation)) keys.add(key);
  }
  for (const revision of index.history.revisions) if (shown.has(revision.revision)) keys.add(keyOf(revision));
  const verb = guilty === undefined ? undefined : index.operation(guilty)?.verb;
  if (guilty !== undefined && (verb === 'create' || verb === 'delete')) {
    for (const revision of index.madeBy(guilty)) addFamily(index, revision, keys);
  }
  return keys;
}

function addFamily(index: HistoryIndex, child: Revision, keys: Set<string>): void {
  const owner = parentOf(child.object)?.uid;
  if (owner === undefined) return;
  for (const revision of index.history.revisions) {
    const isOwner = revision.uid === owner;
    const isSibling = revision.resource === child.resource && parentOf(revision.object)?.uid === owner;
    if (isOwner || isSibling) keys.add(keyOf(revision));
  }
}

/**
 * Counts the children of one owner and role that exist and are not terminating, right after a revision. Each role has its own count: in a
 * cluster of a head and workers, the head is not counted with the workers.
 */
export function siblingsAlive(index: HistoryIndex, created: Revision): number | undefined {
  const owner = parentOf(created.object)?.uid;
  if (owner === undefined) return undefined;
  const role = roleOf(index, created);
  const alive = new Set<string>();
  for (const revision of index.history.revisions) {
    if (revision.at > created.at) break;
    if (revision.resource !== created.resource || parentOf(revision.object)?.uid !== owner) continue;
    if (roleOf(index, revision) !== role) continue;
    const gone = revision.type === 'DELETED' || revision.object.metadata.deletionTimestamp !== undefined;
    if (gone) alive.delete(revision.uid);
    else alive.add(revision.uid);
  }
  return alive.size;
}

/**
 * Returns the role of an object, such as `r1/worker-wg` for `r1/worker-wg~3`. All objects of a kind whose names are not generated count as
 * one role.
 */
function roleOf({ history }: HistoryIndex, { uid }: Revision): string {
  const name = history.names[uid] ?? '';
  return name.includes('~') ? name.replace(/~\d+$/, '') : '';
}
