/**
 * Lists as clients receive them: items of built-in kinds have no apiVersion and kind, items of custom resources do.
 *
 * In process, items are the stored objects themselves; {@link listAsSent} converts a list for a client.
 */
import type { JsonObject, JsonValue } from '../objects/object.ts';

/** Built-in groups: the core group, groups without a dot, and these groups under k8s.io. */
const BUILT_IN_GROUP =
  /^$|^(apps|batch|autoscaling|policy|extensions)$|^(admissionregistration|apiextensions|apiregistration|authentication|authorization|certificates|coordination|discovery|events|flowcontrol\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage)\.k8s\.io$/;

/** Returns the body without type information in its items, when it is a list of a built-in kind; otherwise the same body. */
export function listAsSent(body: JsonValue): JsonValue {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const { apiVersion, kind, items } = body as JsonObject;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items) || typeof apiVersion !== 'string')
    return body;
  const slash = apiVersion.indexOf('/');
  if (!BUILT_IN_GROUP.test(slash < 0 ? '' : apiVersion.slice(0, slash))) return body;
  return { ...body, items: items.map(bare) };
}

/** Copies of items without type information. There is one for each stored object, so that callers can cache texts by identity. */
const bareItems = new WeakMap<object, JsonObject>();

function bare(item: JsonValue): JsonValue {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) return item;
  let rest = bareItems.get(item);
  if (rest === undefined) {
    const { apiVersion: _, kind: __, ...others } = item as JsonObject;
    bareItems.set(item, (rest = others));
  }
  return rest;
}
