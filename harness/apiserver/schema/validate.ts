/**
 * Validation of custom resources against their structural schema, with kube-openapi's texts.
 *
 * Owns: the OpenAPI v3 subset (type, enum, bounds, lengths, pattern, format, required, combinations, list sets and maps). Does not
 * own: CEL rules (see DIFFERENCES.md). The path inside a message is relative to what is validated; the field is absolute.
 */
import { jsonEqual } from '../../model/leaf.ts';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import { isList, isMap } from '../definition.ts';
import type { FieldError, FieldErrorType } from '../refusal.ts';
import { formatHolds } from './formats.ts';
import type { SchemaNode } from './node.ts';

/** Where an error is, and where it goes. */
export interface Site {
  readonly errors: FieldError[];
  /** Prefix of every field: empty for the whole object, `status` for its status alone. */
  readonly base: string;
}

function fail(site: Site, path: string, type: FieldErrorType, value: JsonValue | undefined, detail: string): void {
  const field = site.base === '' ? path : path === '' ? site.base : `${site.base}.${path}`;
  site.errors.push({ type, field: field === '' ? '<nil>' : field, ...(value === undefined ? {} : { value }), detail });
}

/** Appends to `site.errors` whatever is wrong with `value`. `old`: the stored value; equal parts are not judged again. */
export function validateValue(
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  site: Site,
): void {
  // Ratcheting: what was there before and has not changed does not fail an update.
  if (old !== undefined && (value === old || jsonEqual(value, old))) return;
  checkType(node, value, path, site);
  if (value === null) return;
  if (node.allOf.length > 0 || node.anyOf.length > 0 || node.oneOf.length > 0 || node.not !== undefined)
    checkCombinations(node, value, path, site);
  if (typeof value === 'string') checkString(node, value, path, site);
  else if (typeof value === 'number') checkNumber(node, value, path, site);
  else if (isList(value)) checkList(node, value, isList(old) ? old : undefined, path, site);
  if (node.enum !== undefined && !node.enum.some((one) => jsonEqual(one, value)))
    fail(
      site,
      path,
      'NotSupported',
      value,
      `supported values: ${node.enum
        .map((one) => JSON.stringify(typeof one === 'string' ? one : JSON.stringify(one)))
        .join(', ')}`,
    );
  if (isMap(value)) checkMap(node, value, isMap(old) ? old : undefined, path, site);
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function checkType(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  const found = typeOf(value);
  if (node.intOrString) {
    if (found !== 'integer' && found !== 'string' && !(found === 'null' && node.nullable))
      fail(site, path, 'TypeInvalid', found, `${path} in body must be of type integer,string: "${found}"`);
    return;
  }
  if (node.type === '' || node.type === found || (node.type === 'number' && found === 'integer')) return;
  if (found === 'null' && node.nullable) return;
  fail(site, path, 'TypeInvalid', found, `${path} in body must be of type ${node.type}: "${found}"`);
}

function checkString(node: SchemaNode, value: string, path: string, site: Site): void {
  const { maxLength, minLength, pattern, format } = node;
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength)
    fail(site, path, 'TooLong', undefined, `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`);
  else if (minLength !== undefined && [...value].length < minLength)
    fail(site, path, 'Invalid', value, `${path} in body should be at least ${minLength} chars long`);
  else if (pattern !== undefined && !pattern.test(value))
    fail(site, path, 'Invalid', value, `${path} in body should match '${node.patternText}'`);
  if (format !== '' && !formatHolds(format, value))
    fail(site, path, 'TypeInvalid', value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`);
}

const INT32_MAX = 2 ** 31 - 1;

function checkNumber(node: SchemaNode, value: number, path: string, site: Site): void {
  const { multipleOf, maximum, minimum } = node;
  if (node.type === 'integer' && node.format === 'int32' && (value > INT32_MAX || value < -INT32_MAX - 1))
    fail(site, '', 'Invalid', '', `Checked value must be of type integer with format int32 in ${path}`);
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf))
    fail(site, path, 'Invalid', value, `${path} in body should be a multiple of ${multipleOf}`);
  if (minimum !== undefined && (node.exclusiveMinimum ? value <= minimum : value < minimum))
    fail(
      site,
      path,
      'Invalid',
      value,
      `${path} in body should be greater than ${node.exclusiveMinimum ? '' : 'or equal to '}${minimum}`,
    );
  if (maximum !== undefined && (node.exclusiveMaximum ? value >= maximum : value > maximum))
    fail(
      site,
      path,
      'Invalid',
      value,
      `${path} in body should be less than ${node.exclusiveMaximum ? '' : 'or equal to '}${maximum}`,
    );
}

function checkList(
  node: SchemaNode,
  list: readonly JsonValue[],
  old: readonly JsonValue[] | undefined,
  path: string,
  site: Site,
): void {
  const { items, minItems, maxItems } = node;
  if (items !== undefined)
    for (let index = 0; index < list.length; index++) {
      const item = list[index] as JsonValue;
      validateValue(items, item, oldItem(node, item, old), `${path}[${index}]`, site);
    }
  if (minItems !== undefined && list.length < minItems)
    fail(site, path, 'Invalid', list.length, `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && list.length > maxItems)
    fail(site, path, 'TooMany', list.length, `must have at most ${maxItems} ${maxItems === 1 ? 'item' : 'items'}`);
  if (node.listType === 'set' || node.listType === 'map' || node.uniqueItems) checkUnique(node, list, path, site);
}

/** Items of list maps are compared with their namesake; items of other lists only as a whole. */
function oldItem(node: SchemaNode, item: JsonValue, old: readonly JsonValue[] | undefined): JsonValue | undefined {
  if (old === undefined || node.listType !== 'map' || !isMap(item)) return undefined;
  return old.find((other) => isMap(other) && node.listKeys.every((key) => jsonEqual(other[key], item[key])));
}

function checkUnique(node: SchemaNode, list: readonly JsonValue[], path: string, site: Site): void {
  const seen = new Set<string>();
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as JsonValue;
    let key: JsonValue = item;
    if (node.listType === 'map' && isMap(item)) {
      const keys: { [key: string]: JsonValue } = {};
      for (const name of node.listKeys.toSorted()) {
        const value = item[name];
        if (value !== undefined) keys[name] = value;
      }
      key = keys;
    }
    const text = JSON.stringify(key);
    if (seen.has(text)) fail(site, `${path}[${index}]`, 'Duplicate', key, '');
    seen.add(text);
  }
}

function checkMap(node: SchemaNode, map: JsonObject, old: JsonObject | undefined, path: string, site: Site): void {
  const { properties, additional, required, minProperties, maxProperties } = node;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const size = Object.keys(map).length;
    if (minProperties !== undefined && size < minProperties)
      fail(site, path, 'Invalid', size, `${path} in body should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && size > maxProperties)
      fail(site, path, 'TooMany', size, `must have at most ${maxProperties} ${maxProperties === 1 ? 'item' : 'items'}`);
  }
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    const property = properties.get(key) ?? (typeof additional === 'object' ? additional : undefined);
    if (property !== undefined) validateValue(property, value, old?.[key], path === '' ? key : `${path}.${key}`, site);
  }
  for (const key of required)
    if (map[key] === undefined) fail(site, path === '' ? key : `${path}.${key}`, 'Required', undefined, '');
}

function checkCombinations(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  const { allOf, anyOf, oneOf, not } = node;
  const shown = JSON.stringify(path);
  const tryOne = (one: SchemaNode): readonly FieldError[] => {
    const errors: FieldError[] = [];
    validateValue(one, value, undefined, path, { errors, base: site.base });
    return errors;
  };
  if (anyOf.length > 0) {
    const tries = anyOf.map(tryOne);
    if (!tries.some((errors) => errors.length === 0)) {
      fail(site, '', 'Invalid', '', `${shown} must validate at least one schema (anyOf)`);
      site.errors.push(...(tries[0] ?? []));
    }
  }
  if (oneOf.length > 0) {
    const tries = oneOf.map(tryOne);
    const valid = tries.filter((errors) => errors.length === 0).length;
    if (valid !== 1) {
      const found = valid === 0 ? 'Found none valid' : `Found ${valid} valid alternatives`;
      fail(site, '', 'Invalid', '', `${shown} must validate one and only one schema (oneOf). ${found}`);
      if (valid === 0) site.errors.push(...(tries[0] ?? []));
    }
  }
  if (allOf.length > 0) {
    const tries = allOf.map(tryOne);
    for (const errors of tries) site.errors.push(...errors);
    const valid = tries.filter((errors) => errors.length === 0).length;
    if (valid !== allOf.length)
      fail(
        site,
        '',
        'Invalid',
        '',
        `${shown} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      );
  }
  if (not !== undefined && tryOne(not).length === 0)
    fail(site, '', 'Invalid', '', `${shown} must not validate the schema (not)`);
}
