/**
 * Values from a custom resource's structural schema: other values for the leaves of a sample, and whole objects.
 *
 * Owns: what is worth trying. Whether the target can live with it, a reference run says (`execution/references.ts`); whether it is
 * valid, the API server says. Start at {@link specChanges}.
 */
import { itemKey } from '../../model/leaf.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import type { FieldPath } from '../../model/workload.ts';
import {
  alternativesOf,
  asList,
  asMap,
  asNumber,
  isImmutable,
  otherScalars,
  propertySchema,
  requiredOf,
  schemaOfVersion,
} from './schema-view.ts';
import type { Schema } from './schema-view.ts';

export interface LeafEdit {
  readonly path: FieldPath;
  readonly value: JsonValue;
}

/** Fields that are absent from the sample are tried down to this depth below `spec`. */
const ABSENT_DEPTH_MAX = 2;

/**
 * Single edits of the sample's spec that its schema permits, as candidates. First one edit of every leaf that the sample has, then
 * the second of each, and so on; fields that it leaves out come last.
 */
export function specChanges(crd: KubeObject, sample: KubeObject): readonly LeafEdit[] {
  const schema = schemaOfVersion(crd, sample.apiVersion);
  const spec = schema === undefined ? undefined : propertySchema(schema, 'spec');
  if (spec === undefined) return [];
  const present: LeafEdit[][] = [];
  const absent: LeafEdit[][] = [];
  collect(spec, sample['spec'], ['spec'], present, absent);
  return [...inTurns(present), ...inTurns(absent)];
}

function* inTurns<T>(lists: readonly (readonly T[])[]): Generator<T> {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const list of lists) {
      const item = list[turn];
      if (item !== undefined) yield item;
    }
  }
}

function collect(
  schema: Schema,
  value: JsonValue | undefined,
  path: FieldPath,
  present: LeafEdit[][],
  absent: LeafEdit[][],
): void {
  if (isImmutable(schema)) return;
  const list = asList(value);
  if (list !== undefined) {
    collectList(schema, list, path, present, absent);
    return;
  }
  const map = asMap(value);
  if (map === undefined && asMap(schema['properties']) === undefined) {
    const edits = otherScalars(schema, value).map((other): LeafEdit => ({ path, value: other }));
    if (edits.length > 0) (value === undefined ? absent : present).push(edits);
    return;
  }
  // A map that is absent as a whole, with keys it would require, is more than a single edit.
  if (map === undefined && (path.length > ABSENT_DEPTH_MAX || requiredOf(schema).length > 0)) return;
  const keys = new Set([...Object.keys(map ?? {}), ...Object.keys(asMap(schema['properties']) ?? {})]);
  // A key that an alternative asks for cannot just be added: another alternative may hold already.
  const disputed = new Set(alternativesOf(schema).flat());
  for (const key of keys) {
    const property = propertySchema(schema, key);
    if (map?.[key] === undefined && disputed.has(key)) continue;
    if (property === undefined || (map?.[key] === undefined && path.length > ABSENT_DEPTH_MAX)) continue;
    collect(property, map?.[key], [...path, key], present, absent);
  }
}

function collectList(
  schema: Schema,
  list: readonly JsonValue[],
  path: FieldPath,
  present: LeafEdit[][],
  absent: LeafEdit[][],
): void {
  const whole: LeafEdit[] = [];
  const longer = oneMore(schema, list);
  if (longer !== undefined) whole.push({ path, value: longer });
  if (list.length > Math.max(1, asNumber(schema['minItems']) ?? 0)) whole.push({ path, value: list.slice(0, -1) });
  if (whole.length > 0) present.push(whole);
  const key = itemKey(list);
  const items = asMap(schema['items']);
  if (key === undefined || items === undefined) return;
  for (const item of list) {
    const { [key]: name, ...rest } = asMap(item) ?? {};
    if (typeof name !== 'string') continue;
    // The key is the item's identity: it stays.
    const inner: Schema = { ...items, properties: withoutKey(asMap(items['properties']) ?? {}, key) };
    collect(inner, rest, [...path, { [key]: name }], present, absent);
  }
}

function withoutKey(map: JsonObject, key: string): JsonObject {
  const { [key]: _, ...rest } = map;
  return rest;
}

/** The list with one more item: like the last one, under another name. */
function oneMore(schema: Schema, list: readonly JsonValue[]): readonly JsonValue[] | undefined {
  const last = list.at(-1);
  const items = asMap(schema['items']) ?? {};
  if (last === undefined || list.length >= (asNumber(schema['maxItems']) ?? Number.POSITIVE_INFINITY)) return undefined;
  const map = asMap(last);
  if (map === undefined) {
    const other = otherScalars(items, last).find((value) => !list.includes(value));
    return other === undefined ? undefined : [...list, other];
  }
  const key = itemKey(list);
  if (key === undefined) return undefined;
  const taken = new Set(list.map((item) => asMap(item)?.[key]));
  const name = otherScalars(propertySchema(items, key) ?? {}, map[key]).find((value) => !taken.has(value));
  return name === undefined ? undefined : [...list, { ...map, [key]: name }];
}
