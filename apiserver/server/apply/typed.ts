/**
 * Typed values: whether a value is a map, list or scalar, the key of a list item, validation, the fields of a value.
 *
 * Owns: structured-merge-diff `typed/helpers.go`, `validate.go` and `tofieldset.go`, texts included.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { fieldType, FieldSet } from './field-set.ts';
import { elementText, fieldElement, keyElement, valueElement } from './path-element.ts';
import type { ListType, TypeNode } from './types.ts';
import { ERRORS_MAX } from '../weight.ts';

/** A value that does not match its type. */
export interface TypedError {
  readonly path: string;
  readonly message: string;
}

/** Thrown inside this folder only; `manager.ts` turns it into an answer. */
export class ApplyError extends Error {}

export function errorsText(errors: readonly TypedError[]): string {
  const texts = errors.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return texts.length === 1 ? (texts[0] ?? '') : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n');
}

export type Shape = 'map' | 'scalar' | 'list' | 'any';

/** Reports whether `value` is a map, list or scalar in this type; `any` when that is not determined. */
export function shapeOf(type: TypeNode, value: JsonValue | undefined): Shape {
  const { scalar, list, map } = type;
  if (map !== undefined && scalar === undefined && list === undefined) return 'map';
  if (scalar !== undefined && map === undefined && list === undefined) return 'scalar';
  if (list !== undefined && map === undefined && scalar === undefined) return 'list';
  if (value === undefined || value === null) return 'any';
  if (isList(value)) return list === undefined ? 'any' : 'list';
  if (typeof value === 'object') return map === undefined ? 'any' : 'map';
  return scalar === undefined ? 'any' : 'scalar';
}

/**
 * Returns the shape in which to handle a value. If that is not determined, it is the first of map, scalar and list that the type allows.
 */
export function handled(type: TypeNode, shape: Shape): 'map' | 'scalar' | 'list' {
  if (shape !== 'any') return shape;
  return type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list';
}

/** The key of an item of a set or map list, or why it has none. */
export type ItemName = { readonly element: string } | { readonly why: string };

export function itemName(list: ListType, item: JsonValue): ItemName {
  if (list.atomic) return { why: 'invalid indexing of non-associative list' };
  return list.keys.length > 0 ? keyedName(list, item) : setName(item);
}

function keyedName(list: ListType, item: JsonValue): ItemName {
  if (item === null) return { why: 'associative list with keys may not have a null element' };
  if (!isMap(item)) return { why: 'associative list with keys may not have non-map elements' };
  const fields: (readonly [string, JsonValue])[] = [];
  for (const name of list.keys) {
    const value = item[name];
    if (value !== undefined) {
      fields.push([name, value]);
      continue;
    }
    const { map } = list.element();
    if (map === undefined)
      return { why: `couldn't find default value for ${name}: associative list may not have non-map types` };
    const preset = map.fields.get(name)?.default;
    if (preset !== undefined) fields.push([name, preset]);
  }
  if (fields.length === 0)
    return {
      why: `associative list with keys has an element that omits all key fields [${list.keys.map((key) => JSON.stringify(key)).join(' ')}] (and doesn't have default values for any key fields)`,
    };
  if (fields.length > 1) fields.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return { element: keyElement(fields) };
}

function setName(item: JsonValue): ItemName {
  if (item === null) return { why: "associative list without keys has an element that's an explicit null" };
  if (isList(item)) return { why: 'not supported: associative list with lists as elements' };
  if (isMap(item)) return { why: "associative list without keys has an element that's a map type" };
  return { element: valueElement(item) };
}

/** Returns the same as {@link itemName}, for values that have been validated. */
export function knownItemName(list: ListType, item: JsonValue, index: number): string {
  const name = itemName(list, item);
  if ('element' in name) return name.element;
  throw new ApplyError(`element ${index}: ${name.why}`);
}

/** Validates `value` against the type; appends to `errors`. */
export function validate(
  type: TypeNode,
  value: JsonValue,
  duplicates: 'allowed' | 'refused',
  errors: TypedError[],
  path = '',
): void {
  const fail = (message: string, at = path): void => {
    if (errors.length < ERRORS_MAX) errors.push({ path: at, message });
  };
  switch (handled(type, shapeOf(type, value))) {
    case 'scalar': {
      const wrong = scalarError(type, value);
      if (wrong !== undefined) fail(wrong);
      return;
    }
    case 'map': {
      const { map } = type;
      if (value === null || map === undefined) return;
      if (!isMap(value)) {
        fail(`expected map, got &${goValue(value, false)}`);
        return;
      }
      for (const name in value) {
        const item = value[name];
        if (item === undefined) continue;
        const below = fieldType(map, name);
        if (below === undefined) {
          fail('field not declared in schema', `${path}.${name}`);
          return;
        }
        validate(below, item, duplicates, errors, `${path}.${name}`);
      }
      return;
    }
    case 'list': {
      const { list } = type;
      if (value === null || list === undefined) return;
      if (!isList(value)) {
        fail(`expected list, got &${goValue(value, false)}`);
        return;
      }
      const seen = new Set<string>();
      for (let index = 0; index < value.length; index++) {
        const item = value[index] as JsonValue;
        let element = `i:${index}`;
        if (!list.atomic) {
          const name = itemName(list, item);
          if ('why' in name) {
            fail(`element ${index}: ${name.why}`);
            return;
          }
          element = name.element;
          if (seen.has(element) && duplicates === 'refused') fail(`duplicate entries for key ${elementText(element)}`);
          seen.add(element);
        }
        validate(list.element(), item, duplicates, errors, path + elementText(element));
      }
    }
  }
}

function scalarError(type: TypeNode, value: JsonValue): string | undefined {
  if (value === null) return undefined;
  switch (type.scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeOf(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goValue(value, true)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &${goValue(value, false)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got &${goValue(value, false)}` : undefined;
  }
}

function goTypeOf(value: JsonValue): string {
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'float64' : 'string';
}

/** Returns a decoded value as Go prints it: with `%#v` if `syntax`, otherwise with `%v` and in the braces of the struct that wraps it. */
function goValue(value: JsonValue, syntax: boolean): string {
  return syntax ? goSyntax(value) : `{${goPlain(value)}}`;
}

function sorted(map: JsonObject): readonly (readonly [string, JsonValue])[] {
  return Object.entries(map)
    .map(([key, value]) => [key, value ?? null] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function goSyntax(value: JsonValue): string {
  if (value === null) return 'interface {}(nil)';
  if (isList(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (isMap(value))
    return `map[string]interface {}{${sorted(value)
      .map(([key, one]) => `${JSON.stringify(key)}:${goSyntax(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

function goPlain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (isList(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (isMap(value))
    return `map[${sorted(value)
      .map(([key, one]) => `${key}:${goPlain(one)}`)
      .join(' ')}]`;
  return String(value);
}

/** Returns the fields that `value` sets. */
export function fieldSetOfValue(type: TypeNode, value: JsonValue): FieldSet {
  const set = new FieldSet();
  collect(type, value, set, undefined, '');
  return set;
}

/** Returns what is left of `room` bytes after the FieldsV1 of all fields of `value`; negative once the limit is exceeded. */
export function roomAfterOwned(type: TypeNode, value: JsonValue, room: number): number {
  const { map, list } = type;
  let left = room;
  switch (handled(type, shapeOf(type, value))) {
    case 'scalar':
      return room;
    case 'map':
      if (map === undefined || map.atomic || !isMap(value)) return room;
      for (const name in value) {
        const item = value[name];
        const below = item === undefined ? undefined : fieldType(map, name);
        if (item === undefined || below === undefined) continue;
        left = roomAfterOwned(below, item, left - ELEMENT_BYTES - name.length);
        if (left < 0) break;
      }
      return left;
    case 'list':
      if (list === undefined || list.atomic || !isList(value)) return room;
      for (let at = 0; at < value.length && left >= 0; at++) {
        const item = value[at] as JsonValue;
        const named = typeof item === 'string' ? item.length : 0;
        left = roomAfterOwned(list.element(), item, left - ELEMENT_BYTES - named);
      }
      return left;
  }
}

/** The bytes of `"f:":{},` around a field's name, which follows the first colon. */
const ELEMENT_BYTES = 8;

/** Adds the fields of `value` below `set`; `value` itself is `element` of `parent`. */
function collect(type: TypeNode, value: JsonValue, set: FieldSet, parent: FieldSet | undefined, element: string): void {
  switch (handled(type, shapeOf(type, value))) {
    case 'scalar':
      parent?.add(element);
      return;
    case 'map': {
      const { map } = type;
      if (map === undefined) return;
      if (map.atomic) {
        parent?.add(element);
        return;
      }
      if (!isMap(value)) return;
      for (const name in value) {
        const item = value[name];
        if (item === undefined) continue;
        const below = fieldType(map, name) ?? undeclared();
        collectBelow(below, item, set, fieldElement(name));
        if (item === null || isEmptyMap(item) || !map.fields.has(name)) set.add(fieldElement(name));
      }
      return;
    }
    case 'list': {
      const { list } = type;
      if (list === undefined) return;
      if (list.atomic) {
        parent?.add(element);
        return;
      }
      if (!isList(value)) return;
      const names = value.map((item, index) => knownItemName(list, item, index));
      const seen = new Set<string>();
      const repeated = new Set<string>();
      for (const name of names) (seen.has(name) ? repeated : seen).add(name);
      names.forEach((name, index) => {
        if (!repeated.has(name)) collectBelow(list.element(), value[index] as JsonValue, set, name);
        set.add(name);
      });
    }
  }
}

function collectBelow(type: TypeNode, value: JsonValue, set: FieldSet, element: string): void {
  if (value === null || typeof value !== 'object') {
    if (handled(type, shapeOf(type, value)) === 'scalar') set.add(element);
    else collect(type, value, set, set, element);
    return;
  }
  const below = new FieldSet();
  collect(type, value, below, set, element);
  if (below.members.size > 0 || below.children.size > 0) set.attach(element, below);
}

function undeclared(): TypeNode {
  throw new ApplyError('schema error: no type found matching: inlined type');
}

export function isEmptyMap(value: JsonValue): boolean {
  if (!isMap(value)) return false;
  for (const key in value) if (value[key] !== undefined) return false;
  return true;
}
