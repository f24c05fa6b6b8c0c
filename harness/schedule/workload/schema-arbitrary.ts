/**
 * Values from a custom resource's structural schema: other values for the leaves of a sample, and whole objects.
 *
 * Owns: which values are worth trying. Does not own: whether the target handles a value (a reference run decides,
 * `execution/run/references.ts`), whether the value is valid (the API server decides). Start at {@link specChanges}.
 */
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { setAt } from '../../model/edit.ts';
import { itemKey } from '../../model/leaf.ts';
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

/** Fields that the sample omits are tried down to this depth below `spec`. */
const ABSENT_DEPTH_MAX = 2;
/** How many items are visited in a list whose items have no names. */
const ITEMS_MAX = 3;

/** Edits of one leaf, the most informative first, and the rank of the leaf. */
interface Leaf {
  readonly edits: readonly LeafEdit[];
  /** Sorts counts and lists before booleans and enums, and those before free text. */
  readonly rank: 0 | 1 | 2;
  readonly depth: number;
}

interface Found {
  readonly present: Leaf[];
  readonly absent: Leaf[];
}

/**
 * Returns single edits of the sample's spec that its schema permits, as candidates. First one edit of every leaf in the sample, counts and
 * leaves near the top first, then the second edit of each leaf, and so on; fields that the sample omits come last.
 */
export function specChanges(crd: KubeObject, sample: KubeObject): readonly LeafEdit[] {
  const schema = schemaOfVersion(crd, sample.apiVersion);
  const spec = schema === undefined ? undefined : propertySchema(schema, 'spec');
  if (spec === undefined) return [];
  const found: Found = { present: [], absent: [] };
  collect(spec, sample['spec'], ['spec'], found);
  return [...inTurns(byRank(found.present)), ...inTurns(byRank(found.absent))];
}

function byRank(leaves: readonly Leaf[]): readonly (readonly LeafEdit[])[] {
  return leaves.toSorted((a, b) => a.rank - b.rank || a.depth - b.depth).map(({ edits }) => edits);
}

/** Yields the first of each list, then the second of each, and so on. */
export function* inTurns<T>(lists: readonly (readonly T[])[]): Generator<T> {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const list of lists) {
      const item = list[turn];
      if (item !== undefined) yield item;
    }
  }
}

function collect(schema: Schema, value: JsonValue | undefined, path: FieldPath, found: Found): void {
  if (isImmutable(schema)) return;
  const list = asList(value);
  if (list !== undefined) {
    collectList(schema, list, path, found);
    return;
  }
  const map = asMap(value);
  if (map === undefined && asMap(schema['properties']) === undefined) {
    const edits = otherScalars(schema, value).map((other): LeafEdit => ({ path, value: other }));
    if (edits.length > 0) (value === undefined ? found.absent : found.present).push(leafOf(schema, edits, path.length));
    return;
  }
  // An absent map with required keys would need more than a single edit.
  if (map === undefined && (path.length > ABSENT_DEPTH_MAX || requiredOf(schema).length > 0)) return;
  const keys = new Set([...Object.keys(map ?? {}), ...Object.keys(asMap(schema['properties']) ?? {})]);
  // A key that one alternative requires cannot just be added: another alternative may already match.
  const disputed = new Set(alternativesOf(schema).flat());
  for (const key of keys) {
    const property = propertySchema(schema, key);
    if (map?.[key] === undefined && disputed.has(key)) continue;
    if (property === undefined || (map?.[key] === undefined && path.length > ABSENT_DEPTH_MAX)) continue;
    collect(property, map?.[key], [...path, key], found);
  }
}

function leafOf(schema: Schema, edits: readonly LeafEdit[], depth: number): Leaf {
  const value = edits[0]?.value;
  const chosen = typeof value === 'boolean' || schema['enum'] !== undefined || schema['pattern'] !== undefined;
  return { edits, depth, rank: typeof value === 'number' ? 0 : chosen ? 1 : 2 };
}

function collectList(schema: Schema, list: readonly JsonValue[], path: FieldPath, found: Found): void {
  const items = asMap(schema['items']) ?? {};
  const key = itemKey(list);
  const whole: LeafEdit[] = [];
  const longer = oneMore(schema, list, key ?? identifyingKey(schema, items, list));
  if (longer !== undefined) whole.push({ path, value: longer });
  if (list.length > Math.max(1, asNumber(schema['minItems']) ?? 0)) whole.push({ path, value: list.slice(0, -1) });
  if (whole.length > 0) found.present.push({ edits: whole, rank: 0, depth: path.length });
  if (key === undefined) {
    const fixed = [...mapKeysOf(schema), identifyingKey(schema, items, list) ?? []].flat();
    const inner = withoutKeys(items, fixed);
    for (const index of list.slice(0, ITEMS_MAX).keys()) collectItem(inner, list, index, path, found);
    return;
  }
  for (const item of list) {
    const { [key]: name, ...rest } = asMap(item) ?? {};
    if (typeof name !== 'string') continue;
    collect(withoutKeys(items, [key]), rest, [...path, { [key]: name }], found);
  }
}

/** Collects edits inside an item that no path can address; each replaces the whole list. */
function collectItem(items: Schema, list: readonly JsonValue[], index: number, path: FieldPath, found: Found): void {
  const map = asMap(list[index]);
  if (map === undefined) return;
  const inner: Found = { present: [], absent: [] };
  collect(items, map, [], inner);
  for (const { edits, rank, depth } of inner.present) {
    const moved = edits.map((edit): LeafEdit => ({ path, value: list.with(index, setAt(map, edit.path, edit.value)) }));
    found.present.push({ edits: moved, rank, depth: path.length + 1 + depth });
  }
}

/** Returns the schema of an item without its identifying keys, which stay unchanged. */
function withoutKeys(items: Schema, keys: readonly string[]): Schema {
  const properties = Object.entries(asMap(items['properties']) ?? {}).filter(([key]) => !keys.includes(key));
  return { ...items, properties: Object.fromEntries(properties) };
}

/** Returns the keys of a list map. */
function mapKeysOf(schema: Schema): readonly string[] {
  return (asList(schema['x-kubernetes-list-map-keys']) ?? []).filter((key) => typeof key === 'string');
}

/** Returns the key that identifies the items of a list according to the schema: the key of a list map, or a required name. */
function identifyingKey(schema: Schema, items: Schema, list: readonly JsonValue[]): string | undefined {
  const named = requiredOf(items).filter((key) => /name$/i.test(key));
  return [...mapKeysOf(schema), ...named].find((key) => {
    const values = list.map((item) => asMap(item)?.[key]);
    return values.every((value) => typeof value === 'string') && new Set(values).size === values.length;
  });
}

/** Returns the list with one more item: a copy of the last one under a different name. */
function oneMore(
  schema: Schema,
  list: readonly JsonValue[],
  key: string | undefined,
): readonly JsonValue[] | undefined {
  const last = list.at(-1);
  const items = asMap(schema['items']) ?? {};
  if (last === undefined || list.length >= (asNumber(schema['maxItems']) ?? Number.POSITIVE_INFINITY)) return undefined;
  const map = asMap(last);
  if (map === undefined) {
    const other = otherScalars(items, last).find((value) => !list.includes(value));
    return other === undefined ? undefined : [...list, other];
  }
  if (key === undefined) return undefined;
  const taken = new Set(list.map((item) => asMap(item)?.[key]));
  const name = otherScalars(propertySchema(items, key) ?? {}, map[key]).find((value) => !taken.has(value));
  return name === undefined ? undefined : [...list, { ...map, [key]: name }];
}
