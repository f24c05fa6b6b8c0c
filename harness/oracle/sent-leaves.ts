/**
 * The leaves that a write itself contained, as opposed to defaults, addresses and ports that the server adds and no client owns.
 *
 * Start at {@link saidIn}.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { History, Operation, Revision } from '../model/history.ts';
import { leavesOf } from '../model/leaf.ts';

const known = new WeakMap<Operation, ReadonlySet<string>>();

/**
 * Reports whether the request behind a version contained a leaf. Creates (also by apply) and updates send whole objects. Of a patch, the
 * maps are read: what is set below a key that it does not have, the server has filled in. Everything else that it changed counts, if the
 * previous version is known; without that version, every leaf would seem changed.
 */
export function saidIn({ operations }: History, { op, type, before }: Revision, path: string): boolean {
  const operation = operations[op];
  if (operation === undefined || !isMap(operation.body)) return true;
  const isWhole = type === 'ADDED' || operation.verb === 'update' || before === undefined;
  if (!isWhole) return reaches(operation.body, path);
  let leaves = known.get(operation);
  if (leaves === undefined) {
    leaves = new Set(leavesOf(operation.body).keys());
    known.set(operation, leaves);
  }
  // Secrets may be written as plain text and are stored encoded.
  return leaves.has(path) || leaves.has(asText(path));
}

/** Reports whether a patch has a value on the way to a leaf, up to the first list or key that is no plain name. */
function reaches(patch: JsonObject, path: string): boolean {
  const leads = (leaf: string): boolean => {
    let value: JsonValue | undefined = patch;
    for (const key of (/^[^[]*/.exec(leaf)?.[0] ?? '').split('.')) {
      if (!isMap(value) || key === '') return true;
      value = value[key];
      if (value === undefined) return false;
    }
    return true;
  };
  return leads(path) || leads(asText(path));
}

function asText(path: string): string {
  return path.replace(/^data\b/, 'stringData');
}
