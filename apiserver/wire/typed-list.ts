/**
 * Lists of built-in kinds as they travel: their items carry no apiVersion and kind, while items of custom resources do.
 *
 * In process, items stay the stored objects themselves; whoever writes a list for a client calls {@link listAsSent}.
 */
import type { JsonObject, JsonValue } from '../objects/object.ts';

/** Groups whose kinds are built into the server: core, the short ones, and these under k8s.io. */
const BUILT_IN_GROUP =
  /^$|^(apps|batch|autoscaling|policy|extensions)$|^(admissionregistration|apiextensions|apiregistration|authentication|authorization|certificates|coordination|discovery|events|flowcontrol\.apiserver|networking|node|rbac\.authorization|resource|scheduling|storage)\.k8s\.io$/;

/** The body without type information on the items, when it is a list of a built-in kind; the same body otherwise. */
export function listAsSent(body: JsonValue): JsonValue {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return body;
  const { apiVersion, kind, items } = body as JsonObject;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items) || typeof apiVersion !== 'string')
    return body;
  const slash = apiVersion.indexOf('/');
  if (!BUILT_IN_GROUP.test(slash < 0 ? '' : apiVersion.slice(0, slash))) return body;
  return { ...body, items: items.map(bare) };
}

/** One bare copy per stored object, so that whoever caches texts by identity can. */
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
