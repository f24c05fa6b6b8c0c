/**
 * Size bounds from a schema: maximum items, entries or characters of a value, and its minimum size as JSON.
 *
 * Mirrors `SchemaDeclType` of k8s.io/apiserver `cel/common/schemas.go`. Values without a bound in the schema are bounded by the request
 * size.
 */
import type { SchemaNode } from '../../schema/schema-node.ts';
import { escapeName } from '../shapes.ts';
import { type Declared, BOOL, DYN, INT, listOf, mapOf, simple, STRING, type Type } from './types.ts';

/** The maximum request size that estimates assume. */
export const REQUEST_BYTES_MAX: number = 3 * 1024 * 1024;

/** The bytes of empty brackets, quotes or braces. */
const EMPTY_BYTES = 2;
const TEXT_MAX = REQUEST_BYTES_MAX - EMPTY_BYTES;
/** `maxLength` counts characters of up to four bytes each. */
const CHARACTER_BYTES = 4;
/** The maximum bytes of a date and time, and of a duration, in quotes. */
const TIME_BYTES_MAX = 32;
const DATE_BYTES = 12;
const DATE_TIME_BYTES_MIN = 21;
const DURATION_BYTES_MIN = 3;
/** The bytes of the quotes, colon and comma of a field name. */
const FIELD_BYTES = 4;
/** The bytes of the comma after a list item. A map entry also has at least a key, with its quotes, and a colon. */
const ITEM_BYTES = 1;
const ENTRY_BYTES = 6;

const KEY: Declared = { type: STRING, max: 0, bytesMin: EMPTY_BYTES };

const known = new WeakMap<SchemaNode, Declared | 'invisible'>();

/** Returns the type of a node for rules; undefined when rules do not see it. `root`: the node is a whole resource, embedded or not. */
export function declaredOf(node: SchemaNode, root: boolean): Declared | undefined {
  let result = known.get(node);
  if (result === undefined) known.set(node, (result = read(node, root) ?? 'invisible'));
  return result === 'invisible' ? undefined : result;
}

function read(node: SchemaNode, root: boolean): Declared | undefined {
  if (node.intOrString)
    return { type: DYN, max: node.maxLength === undefined ? TEXT_MAX : charactersMax(node.maxLength), bytesMin: 1 };
  switch (node.type) {
    case 'array':
      return list(node);
    case 'object':
      return typeof node.additional === 'object' ? map(node, node.additional) : object(node, root);
    case 'string':
      return text(node);
    case 'boolean':
      return { type: BOOL, max: 0, bytesMin: 4 };
    case 'integer':
      return { type: INT, max: 0, bytesMin: 1 };
    case 'number':
      return { type: simple('double'), max: 0, bytesMin: 1 };
    default:
      return undefined;
  }
}

function charactersMax(length: number): number {
  return Math.max(0, length) * CHARACTER_BYTES;
}

function list(node: SchemaNode): Declared | undefined {
  const item = node.items === undefined ? undefined : declaredOf(node.items, node.items.embedded);
  if (item === undefined) return undefined;
  const max = node.maxItems ?? Math.floor(TEXT_MAX / (item.bytesMin + ITEM_BYTES));
  return { type: listOf(item.type), max: Math.max(0, max), bytesMin: EMPTY_BYTES, item };
}

function map(node: SchemaNode, values: SchemaNode): Declared | undefined {
  const item = declaredOf(values, values.embedded);
  if (item === undefined) return undefined;
  const max = node.maxProperties ?? Math.floor(TEXT_MAX / (item.bytesMin + ENTRY_BYTES));
  return { type: mapOf(STRING, item.type), max: Math.max(0, max), bytesMin: EMPTY_BYTES, key: KEY, item };
}

function text(node: SchemaNode): Declared {
  const { format, maxLength } = node;
  switch (format) {
    case 'byte':
      return { type: simple('bytes'), max: Math.max(0, maxLength ?? TEXT_MAX), bytesMin: EMPTY_BYTES };
    case 'duration':
      return { type: simple('duration'), max: TIME_BYTES_MAX, bytesMin: DURATION_BYTES_MIN };
    case 'date':
      return { type: simple('timestamp'), max: DATE_BYTES, bytesMin: DATE_BYTES };
    case 'date-time':
      return { type: simple('timestamp'), max: TIME_BYTES_MAX, bytesMin: DATE_TIME_BYTES_MIN };
    default:
  }
  let max = TEXT_MAX;
  if (maxLength !== undefined) max = charactersMax(maxLength);
  else if (node.enum !== undefined && node.enum.length > 0)
    max = Math.max(0, ...node.enum.map((one) => (typeof one === 'string' ? Buffer.byteLength(one) : 0)));
  return { type: STRING, max, bytesMin: EMPTY_BYTES };
}

function object(node: SchemaNode, root: boolean): Declared {
  const fields = new Map<string, Declared>();
  const required = new Set(node.required);
  let bytesMin = EMPTY_BYTES;
  const add = (name: string, field: Declared, hasDefault: boolean): void => {
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.has(name) && !hasDefault) bytesMin += Buffer.byteLength(name) + field.bytesMin + FIELD_BYTES;
  };
  const own = root && !namesItself(node);
  for (const [name, property] of node.properties) {
    if (own && (name === 'kind' || name === 'apiVersion' || name === 'metadata')) continue;
    const field = declaredOf(property, property.embedded);
    if (field !== undefined) add(name, field, property.hasDefault);
  }
  if (own) {
    const plain: Declared = { type: STRING, max: TEXT_MAX, bytesMin: EMPTY_BYTES };
    add('kind', plain, false);
    add('apiVersion', plain, false);
    const names = new Map([
      ['name', plain],
      ['generateName', plain],
    ]);
    add('metadata', structure({ fields: names, bytesMin: EMPTY_BYTES }), false);
  }
  return structure({ fields, bytesMin });
}

function structure({ fields, bytesMin }: { fields: ReadonlyMap<string, Declared>; bytesMin: number }): Declared {
  const declared: { type: Type; max: number; bytesMin: number; fields: ReadonlyMap<string, Declared> } = {
    type: DYN,
    max: 0,
    bytesMin,
    fields,
  };
  declared.type = { kind: 'struct', name: 'object', params: [], declared };
  return declared;
}

/** Reports whether the schema declares all common fields of a resource. Otherwise its limits on these fields are ignored. */
function namesItself({ properties }: SchemaNode): boolean {
  const metadata = properties.get('metadata');
  return (
    properties.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string'
  );
}

/** Returns how many values of this type fit into a request. */
export function repeatedMax({ bytesMin }: Declared): number {
  return Math.floor(REQUEST_BYTES_MAX / (bytesMin + ITEM_BYTES));
}
