/**
 * Validation of custom resources against their schema, with kube-openapi's texts, order and ratcheting.
 *
 * Owns: types, combinations, maps and lists; strings and numbers are in `formats.ts` and `numbers.ts`. Does not own: list sets and maps
 * (`lists.ts`), embedded resources (`embedded.ts`), rules (`../cel`). The path inside a message is relative to what is validated;
 * the field is absolute. Start at {@link validateValue}.
 */
import { jsonEqual } from '../../model/leaf.ts';
import { isList, isMap, sortedKeys } from '../../model/json.ts';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import { longIntegerDigits } from '../../wire/go-json.ts';
import type { FieldError, FieldErrorType } from '../refusal.ts';
import { isUnchanged, oldItem } from './correlate.ts';
import { formatHolds } from './formats.ts';
import type { SchemaNode } from './node.ts';
import { numberFaults } from './numbers.ts';

/** Where an error is, and where it goes. */
export interface Site {
  readonly errors: FieldError[];
  /** Checks that went through: `anyOf` and `oneOf` show the errors of the branch with most of them. */
  matches: number;
  /** Prefix of every field: empty for the whole object, `status` for its status alone. */
  readonly base: string;
}

function fail(site: Site, path: string, type: FieldErrorType, value: JsonValue | undefined, detail: string): void {
  const bare = path.startsWith('.') ? path.slice(1) : path;
  const field = site.base === '' ? bare : bare === '' ? site.base : `${site.base}.${bare}`;
  add(site, { type, field: field === '' ? '<nil>' : field, ...(value === undefined ? {} : { value }), detail });
}

/** What one object is told at most; the answer shows fewer still. */
const ERRORS_MAX = 10_000;
/** How far back an error is looked for: those of one value stand together, and all of them would take their number squared. */
const LOOKED_BACK = 200;

/** The same text is never said twice. */
function add(site: Site, error: FieldError): void {
  const { length } = site.errors;
  if (length >= ERRORS_MAX) return;
  for (let index = Math.max(0, length - LOOKED_BACK); index < length; index++) {
    const other = site.errors[index];
    if (
      other !== undefined &&
      other.detail === error.detail &&
      other.field === error.field &&
      other.type === error.type &&
      jsonEqual(other.value, error.value)
    )
      return;
  }
  site.errors.push(error);
}

/**
 * Appends to `site.errors` whatever is wrong with `value`. `old`: the stored value, when there is one to compare with: what has not
 * changed since does not fail.
 */
export function validateValue(
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  site: Site,
): void {
  if (old === undefined) {
    judge(node, value, undefined, path, site);
    return;
  }
  // The everyday case first: unchanged parts of closed schemas need no look at all.
  if (!node.open && (value === old || jsonEqual(value, old))) return;
  const { errors } = site;
  const count = errors.length;
  judge(node, value, old, path, site);
  if (errors.length > count && isUnchanged(node, value, old)) errors.length = count;
}

function judge(node: SchemaNode, given: JsonValue, old: JsonValue | undefined, path: string, site: Site): void {
  // An integer that keeps digits beyond a double's is judged as the double.
  const digits = typeof given === 'object' ? longIntegerDigits(given) : undefined;
  const value = digits === undefined ? given : Number(digits);
  if (node.type !== '' || node.intOrString || node.format !== '') {
    if (checkType(node, value, path, site)) site.matches++;
    if (value !== null) site.matches++;
  }
  if (value === null) {
    checkEnum(node, value, path, site);
    return;
  }
  if (node.allOf.length > 0 || node.anyOf.length > 0 || node.oneOf.length > 0 || node.not !== undefined)
    checkCombinations(node, value, path, site);
  // schemaProps, common and the validator itself count once each.
  site.matches += 4;
  if (typeof value === 'string') checkString(node, value, path, site);
  else if (typeof value === 'number') {
    site.matches += 2;
    if (hasNumberRules(node))
      for (const fault of numberFaults(node, value, path))
        fail(site, fault.plain ? '' : path, 'Invalid', fault.plain ? '' : (fault.value ?? value), fault.text);
  } else if (isList(value)) checkList(node, value, isList(old) ? old : undefined, path, site);
  if (node.enum !== undefined) checkEnum(node, value, path, site);
  if (isMap(value)) checkMap(node, value, isMap(old) ? old : undefined, path, site);
}

function hasNumberRules(node: SchemaNode): boolean {
  return (
    node.type === 'integer' ||
    node.format !== '' ||
    node.multipleOf !== undefined ||
    node.maximum !== undefined ||
    node.minimum !== undefined
  );
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  // Beyond 64 bits Go reads a float.
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  return typeof value;
}

function checkType(node: SchemaNode, value: JsonValue, path: string, site: Site): boolean {
  const found = typeOf(value);
  const wanted = node.intOrString ? 'integer,string' : node.type;
  const mistyped = (type: string, shown: string): false => {
    fail(site, path, 'TypeInvalid', shown, `${path} in body must be of type ${type}: ${JSON.stringify(shown)}`);
    return false;
  };
  if (value === null) return wanted === '' || node.nullable || mistyped(wanted, 'null');
  const fits = node.intOrString
    ? found === 'integer' || found === 'string'
    : node.type === found || (node.type === 'number' && found === 'integer');
  if (node.format !== '' && !fits) {
    // A format is named instead of the type, and lists pass for strings with a format.
    if (found !== 'string' && found !== 'array') return mistyped(node.format, goFormat(found));
    if (node.type !== 'number' && node.type !== 'integer' && !node.intOrString) return true;
  }
  return fits || mistyped(wanted, found);
}

/** The format that go-openapi infers from a value. */
function goFormat(found: string): string {
  return found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '';
}

function checkEnum(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  if (node.enum === undefined || node.enum.length === 0) return;
  const { values, text } = enumOf(node.enum);
  if (value !== null && values.has(JSON.stringify(sortedKeys(value)))) return;
  fail(site, path, 'NotSupported', value, text);
}

interface Enum {
  readonly values: ReadonlySet<string>;
  readonly text: string;
}

const enums = new WeakMap<readonly JsonValue[], Enum>();

/** Made once for each schema: a list may have as many items as its enumeration has values. */
function enumOf(list: readonly JsonValue[]): Enum {
  let made = enums.get(list);
  if (made === undefined) {
    const supported = list.map((one) => JSON.stringify(typeof one === 'string' ? one : JSON.stringify(one)));
    made = {
      values: new Set(list.map((one) => JSON.stringify(sortedKeys(one)))),
      text: `supported values: ${supported.join(', ')}`,
    };
    enums.set(list, made);
  }
  return made;
}

function checkString(node: SchemaNode, value: string, path: string, site: Site): void {
  const { maxLength, minLength, pattern, format } = node;
  site.matches++;
  if (maxLength !== undefined && value.length > maxLength && [...value].length > maxLength)
    fail(site, path, 'TooLong', undefined, `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`);
  else if (minLength !== undefined && [...value].length < minLength)
    fail(site, path, 'Invalid', value, `${path} in body should be at least ${minLength} chars long`);
  else if (pattern !== undefined && !pattern.test(value))
    fail(site, path, 'Invalid', value, `${path} in body should match '${node.patternText}'`);
  if (format === '') return;
  site.matches++;
  if (!formatHolds(format, value))
    fail(site, path, 'TypeInvalid', value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`);
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
  site.matches += 2;
  if (minItems !== undefined && list.length < minItems)
    fail(site, path, 'Invalid', list.length, `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && list.length > maxItems)
    fail(site, path, 'TooMany', list.length, `must have at most ${maxItems} ${maxItems === 1 ? 'item' : 'items'}`);
  if (node.uniqueItems && list.some((one, at) => list.findIndex((other) => jsonEqual(one, other)) < at))
    fail(site, path, 'Invalid', '', `${path} in body shouldn't contain duplicates`);
}

function checkMap(node: SchemaNode, map: JsonObject, old: JsonObject | undefined, path: string, site: Site): void {
  const { properties, additional, required, minProperties, maxProperties } = node;
  site.matches++;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const size = Object.keys(map).length;
    if (minProperties !== undefined && size < minProperties)
      fail(site, path, 'Invalid', size, `${path} in body should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && size > maxProperties)
      fail(site, path, 'TooMany', size, `must have at most ${maxProperties} ${maxProperties === 1 ? 'item' : 'items'}`);
  }
  for (const key in map) {
    const value = map[key];
    // Read for every key, needed or not: where only some names come by, V8 compiles for just those, again and again.
    const was = old === undefined ? undefined : old[key];
    if (value === undefined) continue;
    const property = properties.get(key);
    // Before there is a path: most of what an update sends is what was there.
    if (property !== undefined && value === was && !property.open) continue;
    if (property !== undefined) validateValue(property, value, was, path === '' ? key : `${path}.${key}`, site);
    else if (typeof additional === 'object') validateValue(additional, value, was, `${path}.${key}`, site);
    else if (additional === false) fail(site, path, 'Invalid', key, `${path}.${key} in body is a forbidden property`);
  }
  for (const key of required)
    if (map[key] === undefined) fail(site, path === '' ? key : `${path}.${key}`, 'Required', undefined, '');
}

function checkCombinations(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  const { allOf, anyOf, oneOf, not } = node;
  const shown = JSON.stringify(path);
  const tryOne = (one: SchemaNode): Site => {
    const tried: Site = { errors: [], matches: 0, base: site.base };
    judge(one, value, undefined, path, tried);
    return tried;
  };
  const take = (from: Site | undefined): void => {
    if (from === undefined) return;
    site.matches += from.matches;
    for (const error of from.errors) add(site, error);
  };
  if (anyOf.length > 0) {
    const tries = anyOf.map(tryOne);
    const success = tries.find(({ errors }) => errors.length === 0);
    if (success === undefined) fail(site, '', 'Invalid', '', `${shown} must validate at least one schema (anyOf)`);
    take(success ?? best(tries));
  }
  if (oneOf.length > 0) {
    const tries = oneOf.map(tryOne);
    const valid = tries.filter(({ errors }) => errors.length === 0);
    if (valid.length !== 1) {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      fail(site, '', 'Invalid', '', `${shown} must validate one and only one schema (oneOf). ${found}`);
    }
    // Failures after a success do not count, the best before it was forgotten.
    if (valid.length === 0) take(best(tries));
    else if (valid.length === 1) take(valid[0]);
  }
  if (allOf.length > 0) {
    const tries = allOf.map(tryOne);
    for (const one of tries) take(one);
    const valid = tries.filter(({ errors }) => errors.length === 0).length;
    if (valid !== allOf.length)
      fail(
        site,
        '',
        'Invalid',
        '',
        `${shown} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`,
      );
  }
  if (not !== undefined && tryOne(not).errors.length === 0)
    fail(site, '', 'Invalid', '', `${shown} must not validate the schema (not)`);
}

function best(tries: readonly Site[]): Site | undefined {
  let found: Site | undefined;
  for (const one of tries) if (found === undefined || one.matches > found.matches) found = one;
  return found;
}
