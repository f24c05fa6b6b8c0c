/**
 * What a write said itself: the server fills in defaults, addresses and ports beside it, which no client owns.
 *
 * Start at {@link saidIn}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { History, Operation, Revision } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';

const known = new WeakMap<Operation, ReadonlySet<string>>();

/**
 * Whether the request behind a version names a leaf. What creates, also by apply, and an update are whole objects. Of patches, which are not
 * read here, everything that they changed counts, if the version before is known: without it, every leaf of the object seems to be changed.
 */
export function saidIn({ operations }: History, { op, type, before }: Revision, path: string): boolean {
  const operation = operations[op];
  if (operation === undefined || !isMap(operation.body)) return true;
  const isWhole = type === 'ADDED' || operation.verb === 'update' || before === undefined;
  if (!isWhole) return true;
  let leaves = known.get(operation);
  if (leaves === undefined) {
    leaves = new Set(leavesOf(operation.body).keys());
    known.set(operation, leaves);
  }
  // Secrets are written in plain text, and kept encoded.
  return leaves.has(path) || leaves.has(path.replace(/^data\b/, 'stringData'));
}
