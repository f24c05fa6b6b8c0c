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
 * Reports whether the request behind a version contained a leaf. Creates (also by apply) and updates send whole objects. A patch is
 * compared only by its map keys: a leaf below a key that the patch lacks was filled in by the server, and everything else that the patch
 * changed counts. If the previous version is unknown, every leaf would seem changed, so only the leaves in the body count. Other requests
 * (a binding, a scale, a deletion) have a body of another form: everything that they changed counts.
 */
export function saidIn({ operations }: History, { op, type, before }: Revision, path: string): boolean {
  const operation = operations[op];
  if (operation === undefined || !isMap(operation.body)) return true;
  const isWhole = type === 'ADDED' || operation.verb === 'update' || before === undefined;
  if (!isWhole) return !isOfObject(operation) || hasPrefixOf(operation.body, path);
  let leaves = known.get(operation);
  if (leaves === undefined) {
    leaves = new Set(leavesOf(operation.body).keys());
    known.set(operation, leaves);
  }
  // Secrets may be written as plain text and are stored encoded.
  return leaves.has(path) || leaves.has(asText(path));
}

/** Reports whether a request is a patch of the object itself. */
function isOfObject({ verb, subresource }: Operation): boolean {
  return verb === 'patch' && (subresource === '' || subresource === 'status');
}

/** Reports whether a patch has the keys that lead to a leaf, up to the first list or key that is no plain name. */
function hasPrefixOf(patch: JsonObject, path: string): boolean {
  const has = (leaf: string): boolean => {
    let value: JsonValue | undefined = patch;
    for (const key of (/^[^[]*/.exec(leaf)?.[0] ?? '').split('.')) {
      if (!isMap(value) || key === '') return true;
      value = value[key];
      if (value === undefined) return false;
    }
    return true;
  };
  return has(path) || has(asText(path));
}

function asText(path: string): string {
  return path.replace(/^data\b/, 'stringData');
}
