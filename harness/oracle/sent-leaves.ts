/**
 * The leaves that a write itself contained, as opposed to defaults, addresses and ports that the server adds and no client owns.
 *
 * Start at {@link saidIn}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { History, Operation, Revision } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';

const known = new WeakMap<Operation, ReadonlySet<string>>();

/**
 * Reports whether the request behind a version contained a leaf. Creates (also by apply) and updates send whole objects. Patches are not
 * parsed: everything that they changed counts, if the previous version is known; without that version, every leaf would seem changed.
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
  // Secrets may be written as plain text and are stored encoded.
  return leaves.has(path) || leaves.has(path.replace(/^data\b/, 'stringData'));
}
