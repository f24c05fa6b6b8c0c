/**
 * A writer's own condition in the `status.conditions` of another controller's object, in the form that the schema or the existing
 * conditions require.
 */
import { groupResource, type JsonObject, type JsonValue } from 'stalemate-apiserver/objects/object';
import { itemKey } from '../../model/leaf.ts';
import {
  asList,
  asMap,
  asText,
  isImmutable,
  otherScalars,
  permits,
  propertySchema,
  requiredOf,
} from '../../schedule/workload/schema-view.ts';
import type { Schema } from '../../schedule/workload/schema-view.ts';
import type { AimObject } from '../../schedule/workload/writer.ts';

/** Built-in kinds whose status has conditions keyed by type. */
const KINDS_WITH_CONDITIONS: ReadonlySet<string> = new Set([
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'pods',
  'persistentvolumeclaims',
  'services',
]);

export const CONDITIONS = ['status', 'conditions'] as const;

/** Returns the usual fields of a condition besides type and status. */
function usual(type: string, by: string): JsonObject {
  return { reason: type, message: `written by ${by}`, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

/** Builds a condition of type `type` for the object; undefined if its status has no conditions. */
export function conditionFor(
  aim: AimObject,
  type: string,
  status: 'True' | 'False',
  by: string,
): JsonObject | undefined {
  if (!aim.hasStatus) return undefined;
  const base = { type, status, ...usual(type, by) };
  if (aim.schema === undefined) {
    const there = asList(asMap(aim.object['status'])?.['conditions']);
    if (there !== undefined && there.length > 0) return itemKey(there) === 'type' ? likeOthers(base, there) : undefined;
    return KINDS_WITH_CONDITIONS.has(groupResource(aim.target)) ? base : undefined;
  }
  const status_ = propertySchema(aim.schema, 'status');
  const conditions = status_ === undefined ? undefined : propertySchema(status_, 'conditions');
  if (conditions === undefined || isImmutable(conditions)) return undefined;
  const item = asMap(conditions['items']);
  return item === undefined ? undefined : fitted(base, item);
}

/** Returns the condition with only those keys that existing conditions have. */
function likeOthers(base: JsonObject, others: readonly JsonValue[]): JsonObject {
  const known = asMap(others[0]) ?? {};
  return Object.fromEntries(Object.entries(base).filter(([key]) => key === 'type' || key in known));
}

/** Returns the condition with only those fields that the item schema has; undefined if a required field is missing. */
function fitted(base: JsonObject, schema: Schema): JsonObject | undefined {
  const out: { [key: string]: JsonValue } = {};
  for (const [key, value] of Object.entries(base)) {
    const property = propertySchema(schema, key);
    const fits = property !== undefined && value !== undefined && permits(property, value);
    if (fits && typeof value === (asText(property['type']) ?? 'string')) out[key] = value;
  }
  for (const key of requiredOf(schema)) {
    if (key in out) continue;
    const value = otherScalars(propertySchema(schema, key) ?? {}, undefined)[0];
    if (value === undefined) return undefined;
    out[key] = value;
  }
  return 'type' in out ? out : undefined;
}
