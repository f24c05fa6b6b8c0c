/**
 * Pruning of unknown fields and defaulting, in one copy-on-write traversal.
 *
 * Mirrors apiextensions-apiserver `schema/pruning` and `schema/defaulting`: unknown keys are removed, missing keys get their default, a
 * null in a non-nullable field is replaced by the default or removed.
 */
import { isList, isMap, withoutKeys, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longIntegerDigits } from '../../wire/go-json.ts';
import { decodeMetadata } from '../metadata.ts';
import { STORED_BYTES_MAX, TooMuchFilledIn, weightOf } from '../weight.ts';
import type { SchemaNode } from './schema-node.ts';

/** The parts of a schema node that coercion needs. */
export interface CoercedNode extends Pick<SchemaNode, 'type' | 'nullable' | 'preserve' | 'embedded' | 'hasDefault'> {
  readonly items: CoercedNode | undefined;
  readonly properties: ReadonlyMap<string, CoercedNode>;
  readonly additional: CoercedNode | boolean | undefined;
  readonly defaulted: SchemaNode['defaulted'];
}

/** Returns the schema without its defaults, for pruning only. */
export function withoutDefaults(node: CoercedNode): CoercedNode {
  const { items, additional } = node;
  return {
    ...node,
    hasDefault: false,
    defaulted: [],
    properties: new Map([...node.properties].map(([name, property]) => [name, withoutDefaults(property)])),
    items: items === undefined ? undefined : withoutDefaults(items),
    additional: typeof additional === 'object' ? withoutDefaults(additional) : additional,
  };
}

/** How many bytes the defaults of the current object may still add. */
let room = Number.POSITIVE_INFINITY;

/**
 * Runs one coercion, whose defaults are limited to what can be stored: with a thousand defaults in list items, a schema would turn a list
 * of empty items into gigabytes.
 *
 * @throws {TooMuchFilledIn}
 */
function bounded<T>(coerce: () => T): T {
  room = STORED_BYTES_MAX;
  try {
    return coerce();
  } finally {
    room = Number.POSITIVE_INFINITY;
  }
}

const weights = new WeakMap<object, number>();

function weightOfDefault(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return weightOf(value);
  let weight = weights.get(value);
  if (weight === undefined) weights.set(value, (weight = weightOf(value)));
  return weight;
}

/** Collects the paths of dropped fields; undefined when not needed. */
export type Unknown = string[] | undefined;

/** The limit on collected paths: warnings are cut off after 4 KiB, and no client reads strict errors longer than this. */
const UNKNOWN_MAX = 10_000;

/** Prunes and defaults a value. `kept`: the value is an item of a list with x-preserve-unknown-fields, which items inherit. */
export function coerceValue(
  node: CoercedNode,
  value: JsonValue,
  path: string,
  unknown: Unknown,
  kept = false,
): JsonValue {
  if (value === null || typeof value !== 'object' || longIntegerDigits(value) !== undefined) return value;
  if (isList(value)) return coerceList(node, value, path, unknown, kept || node.preserve);
  return isMap(value) ? coerceMap(node, value, path, unknown, false, kept || node.preserve) : value;
}

function coerceList(
  node: CoercedNode,
  list: readonly JsonValue[],
  path: string,
  unknown: Unknown,
  kept: boolean,
): readonly JsonValue[] {
  const items = node.items ?? (kept ? undefined : NOTHING);
  if (items === undefined) return list;
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as JsonValue;
    if (item === null || typeof item !== 'object') continue;
    const coerced = coerceValue(items, item, unknown === undefined ? '' : `${path}[${index}]`, unknown, kept);
    if (coerced === item) continue;
    copy ??= [...list];
    copy[index] = coerced;
  }
  return copy ?? list;
}

/** True if the current traversal has dropped any field. */
let hasDropped = false;

/** Prunes and defaults a whole object. `unknown` collects the paths of dropped fields. */
export function coerceObject(node: CoercedNode, object: JsonObject, unknown: Unknown): JsonObject {
  hasDropped = false;
  const coerced = bounded(() => coerceMap(node, object, '', undefined, true));
  // Paths are collected in a second traversal: most objects lose no field, and the paths of all parts of an object take more memory than
  // the object.
  if (unknown !== undefined && hasDropped) bounded(() => coerceMap(node, object, '', unknown, true));
  return coerced;
}

/** Prunes and defaults a map. `root`: the map is the object itself, whose `apiVersion`, `kind` and `metadata` have no schema. */
export function coerceMap(
  node: CoercedNode,
  map: JsonObject,
  path: string,
  unknown: Unknown,
  root: boolean,
  kept: boolean = node.preserve,
): JsonObject {
  const { properties, additional, defaulted } = node;
  let copy: { [key: string]: JsonValue | undefined } | undefined;
  let gone: string[] | undefined;
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    if (node.embedded && key === 'metadata') {
      const metadata = embeddedMetadata(value, path, unknown);
      if (metadata !== value) (copy ??= { ...map })[key] = metadata;
      continue;
    }
    if ((root || node.embedded) && isTypeMeta(key)) continue;
    const property = properties.get(key);
    const known = property ?? (typeof additional === 'object' ? additional : undefined);
    if (known === undefined) {
      if (additional === true) {
        // Any key is allowed here, and values have no schema.
        const below = coerceValue(
          NOTHING,
          value,
          unknown === undefined ? '' : path === '' ? key : `${path}.${key}`,
          unknown,
        );
        if (below !== value) (copy ??= { ...map })[key] = below;
        continue;
      }
      if (kept) continue;
      (gone ??= []).push(key);
      hasDropped = true;
      if (unknown !== undefined && unknown.length < UNKNOWN_MAX) unknown.push(path === '' ? key : `${path}.${key}`);
      continue;
    }
    let coerced: JsonValue | undefined = value;
    if (value === null) {
      // An explicit null is replaced by the default, or removed.
      if (!known.nullable) coerced = property?.hasDefault === true ? undefined : dropped(known);
    } else if (typeof value === 'object')
      coerced = coerceValue(known, value, unknown === undefined ? '' : path === '' ? key : `${path}.${key}`, unknown);
    if (coerced === value) continue;
    copy ??= { ...map };
    if (coerced === undefined) delete copy[key];
    else copy[key] = coerced;
  }
  if (gone !== undefined) copy = withoutKeys(copy ?? map, gone);
  for (const [key, value] of defaulted) {
    if ((copy ?? map)[key] !== undefined) continue;
    room -= key.length + 4 + weightOfDefault(value);
    if (room < 0) throw new TooMuchFilledIn();
    copy ??= { ...map };
    copy[key] = value;
  }
  return copy ?? map;
}

/** Returns what a null is replaced with. It is kept where the schema preserves unknown fields and has no type. */
function dropped(node: CoercedNode): JsonValue | undefined {
  return node.type === '' && node.preserve ? null : undefined;
}

export function isTypeMeta(key: string): boolean {
  return key === 'metadata' || key === 'apiVersion' || key === 'kind';
}

const META_KEYS = new Set(
  'name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields'.split(
    ' ',
  ),
);

/** Returns the metadata of an embedded resource as Go would encode it. Metadata that cannot be decoded is kept, and refused later. */
function embeddedMetadata(value: JsonValue, path: string, unknown: Unknown): JsonValue {
  const meta = decodeMetadata(value);
  if (typeof meta === 'string' || !isMap(value)) return value;
  for (const key in value) {
    if (META_KEYS.has(key)) continue;
    hasDropped = true;
    if (unknown !== undefined && unknown.length < UNKNOWN_MAX) unknown.push(`${path}.metadata.${key}`);
  }
  return jsonEqual(meta, value) ? value : meta;
}

/** The schema node for parts of a value that should be a scalar: such parts have no schema. */
const NOTHING = {
  type: '',
  nullable: false,
  hasDefault: false,
  preserve: false,
  embedded: false,
  items: undefined,
  properties: new Map(),
  additional: undefined,
  defaulted: [],
} as const satisfies CoercedNode;
