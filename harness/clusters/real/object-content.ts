/**
 * What an object says, without what the server says about it.
 *
 * Owns: which fields are the server's: two objects of the same content may have been made at different times. Start at {@link contentOf}.
 */
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

/** Drawn or counted by the server. */
const SERVERS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
]);
const DELETION: ReadonlySet<string> = new Set(['deletionTimestamp', 'deletionGracePeriodSeconds']);
/** Their status is the server's own account, with times in it. */
const STATUS_IS_SERVERS: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'APIService', 'Namespace']);

/** For comparing; that something is being deleted is part of it. */
export function contentOf({ metadata, ...rest }: KubeObject): KubeObject {
  const { status, ...others } = rest as JsonObject;
  const kept = STATUS_IS_SERVERS.has(rest.kind) || status === undefined ? others : { ...others, status };
  return { ...kept, metadata: without(metadata, SERVERS) } as KubeObject;
}

/** For creating it again. */
export function creatable({ metadata, ...rest }: KubeObject): KubeObject {
  return { ...rest, metadata: without(without(metadata, SERVERS), DELETION) };
}

/** With other uids in it, where one replaces another. */
export function withUids<T extends JsonValue>(value: T, uids: ReadonlyMap<string, string>): T {
  return uids.size === 0 ? value : (replaced(value, uids) as T);
}

function replaced(value: JsonValue, uids: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string') return uids.get(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((one) => replaced(one, uids));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one as JsonValue, uids)]));
}

function without(from: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !names.has(key)));
}
