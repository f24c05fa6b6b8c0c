/**
 * Merge types: apply's view of a schema.
 *
 * Owns: reading schema nodes as structured-merge-diff types (k8s.io/kube-openapi `pkg/schemaconv/openapi.go`), the deduced type of
 * values without a schema, and the type of object metadata. Types are made on demand: schemas may be recursive.
 */
import type { JsonValue } from '../../objects/object.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

export type ScalarType = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  readonly atomic: boolean;
  /** The key fields; empty for sets. */
  readonly keys: readonly string[];
  readonly element: () => TypeNode;
}

export interface MapField {
  readonly type: () => TypeNode;
  readonly default?: JsonValue;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, MapField>;
  /** The type of undeclared fields; absent when there are none. */
  readonly element?: () => TypeNode;
}

/** What a value may be: a scalar, a list, a map, or several of them if any type is allowed. */
export interface TypeNode {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

const NO_FIELDS: ReadonlyMap<string, MapField> = new Map();
const NO_KEYS: readonly string[] = [];

function atomicType(): TypeNode {
  return ATOMIC;
}

function deducedType(): TypeNode {
  return DEDUCED;
}

const ATOMIC_LIST: ListType = { atomic: true, keys: NO_KEYS, element: atomicType };

/** Any value, atomic. */
const ATOMIC: TypeNode = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  map: { atomic: true, fields: NO_FIELDS, element: atomicType },
};

/** Any value: maps field by field, lists as a whole. */
export const DEDUCED: TypeNode = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  map: { atomic: false, fields: NO_FIELDS, element: deducedType },
};

/**
 * Reports whether a map has no declared fields and accepts anything: the owned fields of such maps are never reconciled with a new schema.
 */
export function isDeducedMap(map: MapType): boolean {
  return map.fields.size === 0 && map.element === deducedType;
}

const STRING: TypeNode = { scalar: 'string' };
const NUMERIC: TypeNode = { scalar: 'numeric' };
const BOOLEAN: TypeNode = { scalar: 'boolean' };
const UNTYPED: TypeNode = { scalar: 'untyped' };

function field(type: TypeNode): MapField {
  return { type: () => type };
}

function struct(fields: { readonly [name: string]: TypeNode }, atomic = false): TypeNode {
  return {
    map: { atomic, fields: new Map(Object.entries(fields).map(([name, type]) => [name, field(type)])) },
  };
}

const STRINGS: TypeNode = { map: { atomic: false, fields: NO_FIELDS, element: () => STRING } };

const OWNER_FIELDS = struct(
  {
    apiVersion: STRING,
    kind: STRING,
    name: STRING,
    uid: STRING,
    controller: BOOLEAN,
    blockOwnerDeletion: BOOLEAN,
  },
  true,
);

/** An owner reference. The uid is the key and has a default, so that a reference without a uid is merged here, and refused later. */
const OWNER: TypeNode = {
  map: {
    atomic: true,
    fields: new Map([...(OWNER_FIELDS.map?.fields ?? []), ['uid', { type: () => STRING, default: '' }]]),
  },
};

const MANAGED = struct({
  manager: STRING,
  operation: STRING,
  apiVersion: STRING,
  time: UNTYPED,
  fieldsType: STRING,
  fieldsV1: DEDUCED,
  subresource: STRING,
});

/** io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta. */
export const OBJECT_META: TypeNode = struct({
  annotations: STRINGS,
  creationTimestamp: UNTYPED,
  deletionGracePeriodSeconds: NUMERIC,
  deletionTimestamp: UNTYPED,
  finalizers: { list: { atomic: false, keys: NO_KEYS, element: () => STRING } },
  generateName: STRING,
  generation: NUMERIC,
  labels: STRINGS,
  managedFields: { list: { atomic: true, keys: NO_KEYS, element: () => MANAGED } },
  name: STRING,
  namespace: STRING,
  ownerReferences: { list: { atomic: false, keys: ['uid'], element: () => OWNER } },
  resourceVersion: STRING,
  selfLink: STRING,
  uid: STRING,
});

const TYPE_META: readonly (readonly [string, MapField])[] = [
  ['apiVersion', field(STRING)],
  ['kind', field(STRING)],
  ['metadata', field(OBJECT_META)],
];

/** autoscaling/v1 Scale, as far as apply needs it. */
export const SCALE: TypeNode = struct({
  apiVersion: STRING,
  kind: STRING,
  metadata: OBJECT_META,
  spec: struct({ replicas: NUMERIC }),
  status: struct({ replicas: NUMERIC, selector: STRING }),
});

const roots = new WeakMap<SchemaNode, TypeNode>();

/** Returns the type of whole objects with this schema. */
export function objectType(schema: SchemaNode | undefined): TypeNode {
  if (schema === undefined) return DEDUCED;
  let type = roots.get(schema);
  if (type === undefined) roots.set(schema, (type = compile(schema, false, true)));
  return type;
}

type Compiled = [plain?: TypeNode, preserving?: TypeNode];

const compiled = new WeakMap<SchemaNode, Compiled>();

function typeOf(node: SchemaNode, preserving: boolean): TypeNode {
  let both = compiled.get(node);
  if (both === undefined) compiled.set(node, (both = []));
  return (both[preserving ? 1 : 0] ??= compile(node, preserving, node.embedded));
}

/** Compiles a node. `preserving`: an ancestor preserves unknown fields, and its descendants inherit that. */
function compile(node: SchemaNode, preserving: boolean, embedded: boolean): TypeNode {
  const keeps = preserving || node.preserve;
  switch (node.type) {
    case 'object':
      return { map: mapType(node, keeps, embedded) };
    case 'array':
      return { list: listType(node, keeps) };
    case 'integer':
    case 'number':
      return node.intOrString ? ANY_SCALAR : NUMERIC;
    case 'boolean':
      return BOOLEAN;
    case 'string':
      return node.intOrString || (node.format !== '' && node.format !== 'byte') ? UNTYPED : STRING;
    default:
      if (node.intOrString) return ANY_SCALAR;
      return { scalar: 'untyped', list: listType(node, keeps), map: mapType(node, keeps, embedded) };
  }
}

/** Int-or-string: untyped for apply. */
const ANY_SCALAR: TypeNode = DEDUCED;

function mapType(node: SchemaNode, keeps: boolean, embedded: boolean): MapType {
  const fields = new Map<string, MapField>(embedded ? TYPE_META : []);
  for (const [name, property] of node.properties) {
    // The schema of a common metadata field is skipped, because it can only restrict the field.
    if (embedded && fields.has(name)) continue;
    fields.set(name, {
      type: () => typeOf(property, keeps),
      ...(property.default === undefined || property.default === null ? {} : { default: property.default }),
    });
  }
  const { additional } = node;
  const atomic = (node as { readonly mapType?: string }).mapType === 'atomic';
  if (additional === undefined)
    return keeps || fields.size === 0 ? { atomic, fields, element: deducedType } : { atomic, fields };
  if (typeof additional === 'boolean')
    return additional ? { atomic, fields, element: deducedType } : { atomic, fields };
  return { atomic, fields, element: () => typeOf(additional, keeps) };
}

function listType(node: SchemaNode, keeps: boolean): ListType {
  const { items, listType: kind } = node;
  return {
    atomic: kind !== 'set' && kind !== 'map',
    keys: kind === 'map' ? node.listKeys : NO_KEYS,
    element: items === undefined ? atomicType : () => typeOf(items, keeps),
  };
}
