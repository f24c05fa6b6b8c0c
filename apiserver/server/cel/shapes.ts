/**
 * Schema nodes as CEL types, and the conversion from JSON to values of those types.
 *
 * Owns: which parts of a schema rules can see, escaping of property names, conversion of dates, durations, bytes and integers. Mirrors
 * k8s.io/apiserver `cel/common/schemas.go` and `valuesunstructured.go`. Does not own: equality (`equality.ts`). Start at {@link shapeOf}.
 */
import { Duration } from '@marcbachmann/cel-js/evaluator';
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longIntegerDigits } from '../../wire/go-json.ts';
import type { SchemaNode } from '../schema/schema-node.ts';
import { parseDuration } from '../schema/durations.ts';

/** The part of a schema that rules can see. */
export interface Shape {
  /** The name in cel-js' notation: `int`, `list<string>`, `map<string, T>` or the name of a message. */
  readonly type: string;
  readonly convert: (value: JsonValue) => unknown;
  /** For messages: the fields by escaped name. */
  readonly fields?: ReadonlyMap<string, Field>;
  /** For messages: the class of the values. */
  readonly constructor_?: MessageClass;
  readonly items?: Shape;
  /** True for lists that are compared and added as sets or maps. */
  readonly associative: boolean;
}

export interface Field {
  /** The property's name in objects. */
  readonly key: string;
  readonly shape: Shape;
}

/** A value of an object type; its fields are getters on the prototype. */
export type MessageClass = new (raw: JsonObject) => object;

const STRING: Shape = { type: 'string', convert: same, associative: false };
const DYN: Shape = { type: 'dyn', convert: toDynamic, associative: false };
const BOOL: Shape = { type: 'bool', convert: same, associative: false };
const INT: Shape = { type: 'int', convert: toInt, associative: false };
const DOUBLE: Shape = {
  type: 'double',
  convert: (value) => (value === null ? null : Number(value)),
  associative: false,
};
const BYTES: Shape = { type: 'bytes', convert: toBytes, associative: false };
const DURATION: Shape = { type: 'google.protobuf.Duration', convert: toDuration, associative: false };
const TIMESTAMP: Shape = { type: 'google.protobuf.Timestamp', convert: toTimestamp, associative: false };

function same(value: JsonValue): unknown {
  return value;
}

function toInt(value: JsonValue): unknown {
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  const digits = longIntegerDigits(value);
  return digits === undefined ? value : BigInt(digits);
}

function toBytes(value: JsonValue): unknown {
  return typeof value === 'string' ? Uint8Array.from(atob(value), (one) => one.charCodeAt(0)) : value;
}

function toDuration(value: JsonValue): unknown {
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
  return nanos === undefined ? value : new Duration(nanos / 1_000_000_000n, Number(nanos % 1_000_000_000n));
}

function toTimestamp(value: JsonValue): unknown {
  return typeof value === 'string' ? new Date(value.length === 10 ? `${value}T00:00:00Z` : value) : value;
}

/** Converts a value without a schema: integers are ints, maps are maps. */
export function toDynamic(value: JsonValue): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (isList(value)) return value.map(toDynamic);
  if (!isMap(value)) return value;
  const map = new Map<string, unknown>();
  for (const key in value) if (value[key] !== undefined) map.set(key, toDynamic(value[key]));
  return map;
}

/** The schemas of converted lists that are sets or maps, for equality and `+`. */
const associations = new WeakMap<object, SchemaNode>();

/** Returns the schema of a converted list that is a set or a map; undefined for plain lists. */
export function associationOf(list: unknown): SchemaNode | undefined {
  return typeof list === 'object' && list !== null ? associations.get(list) : undefined;
}

/** Marks a list as having the list type of `node`. */
export function associate<T extends object>(list: T, node: SchemaNode): T {
  associations.set(list, node);
  return list;
}

/**
 * Returns the CEL view of values of `node`; undefined when rules do not see them. `root`: the node is the root of a resource, which always
 * has `apiVersion`, `kind`, `metadata.name` and `metadata.generateName`. `name`: unique among the messages of one environment.
 */
export function shapeOf(node: SchemaNode, root: boolean, name: string): Shape | undefined {
  if (node.intOrString) return DYN;
  switch (root ? 'object' : node.type) {
    case 'array':
      return listShape(node, name);
    case 'object':
      return objectShape(node, root, name);
    case 'string':
      return stringShape(node.format);
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return DOUBLE;
    default:
      return undefined;
  }
}

function stringShape(format: string): Shape {
  switch (format) {
    case 'byte':
      return BYTES;
    case 'duration':
      return DURATION;
    case 'date':
    case 'date-time':
      return TIMESTAMP;
    default:
      return STRING;
  }
}

function listShape(node: SchemaNode, name: string): Shape | undefined {
  if (node.items === undefined) return undefined;
  const items = shapeOf(node.items, node.items.embedded, `${name}.items`);
  if (items === undefined) return undefined;
  const associative = node.listType === 'set' || node.listType === 'map';
  return {
    type: `list<${items.type}>`,
    items,
    associative,
    convert: (value) => {
      if (!isList(value)) return value;
      const list = value.map(items.convert);
      return associative ? associate(list, node) : list;
    },
  };
}

function objectShape(node: SchemaNode, root: boolean, name: string): Shape | undefined {
  if (typeof node.additional === 'object' && !root) {
    const values = shapeOf(node.additional, node.additional.embedded, `${name}.values`);
    if (values === undefined) return undefined;
    return {
      type: `map<string, ${values.type}>`,
      items: values,
      associative: false,
      convert: (value) => {
        if (!isMap(value)) return value;
        const map = new Map<string, unknown>();
        for (const key in value) if (value[key] !== undefined) map.set(key, values.convert(value[key]));
        return map;
      },
    };
  }
  const fields = new Map<string, Field>();
  for (const [key, property] of node.properties) {
    const shape = shapeOf(property, property.embedded, `${name}.${key.replaceAll(/\W/g, '_')}`);
    const escaped = escapeName(key);
    if (shape === undefined || escaped === undefined) continue;
    fields.set(escaped, { key, shape });
    // Also accessible by its own name, unless that is a token of the grammar.
    if (RESERVED.has(key) && !TOKENS.has(key)) fields.set(key, { key, shape });
  }
  if (root) {
    fields.set('apiVersion', { key: 'apiVersion', shape: STRING });
    fields.set('kind', { key: 'kind', shape: STRING });
    const names = new Map<string, Field>([
      ['name', { key: 'name', shape: STRING }],
      ['generateName', { key: 'generateName', shape: STRING }],
    ]);
    fields.set('metadata', { key: 'metadata', shape: message(`${name}.metadata`, names) });
  }
  return message(name, fields);
}

function message(type: string, fields: ReadonlyMap<string, Field>): Shape {
  const made = messageClass(fields);
  return {
    type,
    fields,
    constructor_: made,
    associative: false,
    convert: (value) => (isMap(value) ? new made(value) : value),
  };
}

function messageClass(fields: ReadonlyMap<string, Field>): MessageClass {
  class Message {
    readonly #raw: JsonObject;
    #values: Map<string, unknown> | undefined;

    constructor(raw: JsonObject) {
      this.#raw = raw;
    }

    static read(self: Message, key: string, shape: Shape): unknown {
      const raw = self.#raw[key];
      // In rules a null is a missing field.
      if (raw === undefined || raw === null) return undefined;
      if (typeof raw !== 'object') return shape.convert(raw);
      const known = self.#values?.get(key);
      if (known !== undefined) return known;
      const value = shape.convert(raw);
      (self.#values ??= new Map()).set(key, value);
      return value;
    }
  }
  for (const [escaped, { key, shape }] of fields)
    if (escaped !== 'constructor')
      Object.defineProperty(Message.prototype, escaped, {
        get(this: Message): unknown {
          return Message.read(this, key, shape);
        },
      });
  return Message;
}

/** Reserved words that the grammar never accepts as names, so that `self.in` is a syntax error. */
const TOKENS = new Set(['true', 'false', 'null', 'in']);

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: { readonly [text: string]: string } = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** Returns the identifier for a property name; undefined when there is none. */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (text) => ESCAPES[text] ?? text);
}
