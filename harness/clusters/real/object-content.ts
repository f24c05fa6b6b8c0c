/**
 * The content of an object, without the fields that the server sets.
 *
 * Owns: which fields are the server's. Two objects with the same content may have been created at different times. Start at {@link
 * contentOf}.
 */
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

/** Fields that the server generates or counts. */
const SERVERS: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'managedFields',
  'selfLink',
]);
const DELETION: ReadonlySet<string> = new Set(['deletionTimestamp', 'deletionGracePeriodSeconds']);
/** Kinds whose status the server itself writes, including times. */
const STATUS_IS_SERVERS: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'APIService', 'Namespace']);

/** Returns the content for comparison, including whether the object is terminating. */
export function contentOf({ metadata, ...rest }: KubeObject): KubeObject {
  const { status, ...others } = rest as JsonObject;
  const kept = STATUS_IS_SERVERS.has(rest.kind) || status === undefined ? others : { ...others, status };
  return { ...kept, metadata: without(metadata, SERVERS) } as KubeObject;
}

/** Returns the content for creating the object again. */
export function creatable({ metadata, ...rest }: KubeObject): KubeObject {
  return { ...rest, metadata: without(without(metadata, SERVERS), DELETION) };
}

/** Replaces the uids of objects that were created again, in an object that refers to them. */
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
