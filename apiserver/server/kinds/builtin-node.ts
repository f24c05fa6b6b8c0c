/**
 * Schema nodes of built-in kinds, built from Go's types one level at a time.
 *
 * Owns: the type information for server-side apply and strategic merge patch: types, list types and keys, patch strategies. Nodes are
 * created lazily, because types are recursive and few are ever needed.
 */
import type { JsonValue } from '../../objects/object.ts';
import { compileNode } from '../schema/node.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { readGoType, type FieldFacts, type GoType, type Merging, type StructEntry } from './go-types.ts';

/** The schema node of a type without information on merging. */
const PLAIN: SchemaNode = compileNode(undefined);

const SCALARS: { readonly [name: string]: Partial<SchemaNode> } = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  Time: { type: 'string', format: 'date-time' },
  MicroTime: { type: 'string', format: 'date-time' },
  Duration: { type: 'string' },
  Quantity: { type: 'string', format: 'quantity' },
  IntOrString: { intOrString: true, format: 'int-or-string' },
  RawExtension: { preserve: true, mapType: 'atomic' },
  FieldsV1: { type: 'object', preserve: true },
  float64: { type: 'number', format: 'double' },
  float32: { type: 'number', format: 'float' },
};

function scalar(name: string): Partial<SchemaNode> {
  const known = SCALARS[name];
  if (known !== undefined) return known;
  return /^u?int/.test(name) ? { type: 'integer', format: name } : { preserve: true };
}

function merging(facts: Merging): Partial<SchemaNode> {
  const { listType = '', listKeys = [], mapType = '', patchStrategy = '', patchMergeKey = '' } = facts;
  const value: JsonValue | undefined = facts.default;
  return {
    listType,
    listKeys,
    mapType,
    patchStrategy,
    patchMergeKey,
    enum: facts.enum,
    default: value,
    hasDefault: value !== undefined,
  };
}

const NO_FACTS: FieldFacts = {};
const structs = new Map<string, SchemaNode>();

/** Returns the node of a Go type. `facts`: the merge information of the field that contains it. */
export function nodeOfGoType(expression: string, facts: FieldFacts = NO_FACTS): SchemaNode {
  const type = readGoType(expression);
  switch (type.is) {
    case 'pointer':
      return nodeOfGoType(type.to, facts);
    case 'scalar':
      // The type is merged in last, because an atomic type stays atomic in any field.
      return { ...PLAIN, ...merging(facts), ...scalar(type.name) };
    case 'list':
      return lazily({ ...PLAIN, type: 'array', ...merging(facts) }, 'items', () =>
        nodeOfGoType(type.of, facts.itemMapType === undefined ? NO_FACTS : { mapType: facts.itemMapType }),
      );
    case 'map':
      return lazily({ ...PLAIN, type: 'object', ...merging(facts) }, 'additional', () => nodeOfGoType(type.of));
    case 'struct':
      return structNode(type, facts);
  }
}

function structNode(type: Extract<GoType, { readonly is: 'struct' }>, facts: FieldFacts): SchemaNode {
  const plain = facts === NO_FACTS;
  const known = plain ? structs.get(type.name) : undefined;
  if (known !== undefined) return known;
  const { entry, name } = type;
  const own = { ...entry, ...facts };
  const node = lazily({ ...PLAIN, type: 'object', required: entry.required ?? [], ...merging(own) }, 'properties', () =>
    properties(name, entry),
  );
  if (plain) structs.set(name, node);
  return node;
}

const maps = new Map<string, ReadonlyMap<string, SchemaNode>>();

function properties(name: string, entry: StructEntry): ReadonlyMap<string, SchemaNode> {
  let map = maps.get(name);
  if (map === undefined) {
    map = new Map(entry.fields.map(([field, type, facts]) => [field, nodeOfGoType(type, facts)]));
    maps.set(name, map);
  }
  return map;
}

/** Adds a lazy property to the node. */
function lazily<K extends 'items' | 'additional' | 'properties'>(
  node: SchemaNode,
  key: K,
  make: () => SchemaNode[K],
): SchemaNode {
  return Object.defineProperty({ ...node }, key, {
    enumerable: true,
    configurable: true,
    get(): SchemaNode[K] {
      const value = make();
      Object.defineProperty(this, key, { value, enumerable: true });
      return value;
    },
  });
}
