/** Which objects a story is about. */
import type { Violation } from '../model/check-result.ts';
import type { Revision } from '../model/history.ts';
import { controllerOf, objectKey } from '../model/object.ts';
import type { HistoryIndex } from './history-index.ts';

/**
 * Keys of the objects that a violation's operations and revisions touch. When children are created or deleted, the owner and
 * the siblings belong to the story too: it is their number that matters.
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
  const owner = controllerOf(child.object)?.uid;
  if (owner === undefined) return;
  for (const revision of index.history.revisions) {
    const isOwner = revision.uid === owner;
    const isSibling = revision.resource === child.resource && controllerOf(revision.object)?.uid === owner;
    if (isOwner || isSibling) keys.add(keyOf(revision));
  }
}

/** How many children of one owner and resource live, not terminating, right after a revision. */
export function siblingsAlive(index: HistoryIndex, created: Revision): number | undefined {
  const owner = controllerOf(created.object)?.uid;
  if (owner === undefined) return undefined;
  const alive = new Set<string>();
  for (const revision of index.history.revisions) {
    if (revision.at > created.at) break;
    if (revision.resource !== created.resource || controllerOf(revision.object)?.uid !== owner) continue;
    const gone = revision.type === 'DELETED' || revision.object.metadata.deletionTimestamp !== undefined;
    if (gone) alive.delete(revision.uid);
    else alive.add(revision.uid);
  }
  return alive.size;
}

export function keyOf(revision: Revision): string {
  return objectKey(revision.resource, revision.namespace, revision.name);
}
