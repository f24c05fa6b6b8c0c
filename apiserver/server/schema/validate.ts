/**
 * Validates custom resources against their schema, with kube-openapi's messages, order and ratcheting.
 *
 * Owns: types, combinations, maps and lists; strings and numbers are in `formats.ts` and `numbers.ts`. Does not own: set lists and map
 * lists (`lists.ts`), embedded resources (`embedded.ts`), rules (`../cel`). The path inside a message is relative to the validated value;
 * the field is absolute. Start at {@link validateValue}.
 */
import { jsonEqual, isList, isMap, sortedKeys } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longIntegerDigits } from '../../wire/go-json.ts';
import { isUnchanged, oldItem } from './correlate.ts';
import { formatHolds } from './formats.ts';
import type { SchemaNode } from './schema-node.ts';
import { numberFaults } from './numbers.ts';
import { Site } from './site.ts';

/** Appends the errors of `value` to `site.errors`. `old`: the stored value, if it can be correlated; unchanged parts are not errors. */
export function validateValue(
  node: SchemaNode,
  value: JsonValue,
  old: JsonValue | undefined,
  path: string,
  site: Site,
): void {
  if (old === undefined) {
    validate(node, value, undefined, path, site);
    return;
  }
  // The most common case is checked first: unchanged values are skipped if their schema allows no undeclared keys.
  if (!node.open && (value === old || jsonEqual(value, old))) return;
  const { errors } = site;
  const count = errors.length;
  validate(node, value, old, path, site);
  if (errors.length > count && isUnchanged(node, value, old)) site.forgetAfter(count);
}

function validate(node: SchemaNode, given: JsonValue, old: JsonValue | undefined, path: string, site: Site): void {
  if (site.settled) return;
  site.count(typeof given === 'string' ? 1 + (given.length >> 10) : 1);
  // An integer with more digits than a double can hold is validated as a double.
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
  // kube-openapi counts two checks for schemaProps, one for common, and one for the validator itself.
  site.matches += 4;
  if (typeof value === 'string') checkString(node, value, path, site);
  else if (typeof value === 'number') {
    site.matches += 2;
    if (hasNumberRules(node))
      for (const fault of numberFaults(node, value, path))
        site.fail(fault.plain ? '' : path, 'Invalid', fault.plain ? '' : (fault.value ?? value), () => fault.text);
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
  // Go reads an integer beyond 64 bits as a float.
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'integer' : 'number';
  return typeof value;
}

function checkType(node: SchemaNode, value: JsonValue, path: string, site: Site): boolean {
  const found = typeOf(value);
  const wanted = node.intOrString ? 'integer,string' : node.type;
  if (value === null) return wanted === '' || node.nullable || mistyped(site, path, wanted, 'null');
  const fits = node.intOrString
    ? found === 'integer' || found === 'string'
    : node.type === found || (node.type === 'number' && found === 'integer');
  if (node.format !== '' && !fits) {
    // For a mismatch, the message names the format instead of the type. Lists are accepted for strings with a format.
    if (found !== 'string' && found !== 'array') return mistyped(site, path, node.format, goFormat(found));
    if (node.type !== 'number' && node.type !== 'integer' && !node.intOrString) return true;
  }
  return fits || mistyped(site, path, wanted, found);
}

function mistyped(site: Site, path: string, wanted: string, found: string): false {
  site.fail(path, 'TypeInvalid', found, () => `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`);
  return false;
}

/** Returns the format that go-openapi infers from a value. */
function goFormat(found: string): string {
  return found === 'integer' ? 'int64' : found === 'number' ? 'float64' : '';
}

function checkEnum(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  if (node.enum === undefined || node.enum.length === 0) return;
  const { strings, values, structured, text } = enumOf(node.enum);
  if (typeof value === 'string') {
    if (strings.has(value)) return;
  } else if (value !== null && (typeof value !== 'object' || structured))
    if (values.has(JSON.stringify(sortedKeys(value)))) return;
  site.fail(path, 'NotSupported', value, () => text);
}

interface Enum {
  /** The values that are texts, for fast lookup: a long text may be compared with a thousand alternatives. */
  readonly strings: ReadonlySet<JsonValue>;
  readonly values: ReadonlySet<string>;
  /** True if any value is a map or a list: only maps and lists need a canonical text. */
  readonly structured: boolean;
  readonly text: string;
}

const enums = new WeakMap<readonly JsonValue[], Enum>();

/** Returns an enumeration, created once per schema: creating it for each item of a list would be quadratic. */
function enumOf(list: readonly JsonValue[]): Enum {
  let made = enums.get(list);
  if (made === undefined) {
    const supported = list.map((one) => JSON.stringify(typeof one === 'string' ? one : JSON.stringify(one)));
    made = {
      strings: new Set(list.filter((one) => typeof one === 'string')),
      values: new Set(list.map((one) => JSON.stringify(sortedKeys(one)))),
      structured: list.some((one) => typeof one === 'object' && one !== null),
      text: `supported values: ${supported.join(', ')}`,
    };
    enums.set(list, made);
  }
  return made;
}

function checkString(node: SchemaNode, value: string, path: string, site: Site): void {
  const { maxLength, minLength, pattern, format } = node;
  site.matches++;
  if (maxLength !== undefined && isLonger(value, maxLength))
    site.fail(
      path,
      'TooLong',
      undefined,
      () => `may not be more than ${maxLength} ${maxLength === 1 ? 'byte' : 'bytes'}`,
    );
  else if (minLength !== undefined && !isLonger(value, minLength - 1))
    site.fail(path, 'Invalid', value, () => `${path} in body should be at least ${minLength} chars long`);
  else if (pattern !== undefined && !pattern.test(value))
    site.fail(path, 'Invalid', value, () => `${path} in body should match '${node.patternText}'`);
  if (format === '') return;
  site.matches++;
  if (!formatHolds(format, value))
    site.fail(path, 'TypeInvalid', value, () => `${path} in body must be of type ${format}: ${JSON.stringify(value)}`);
}

/** Reports whether a text is longer than `characters`, each of which takes one or two UTF-16 units. */
function isLonger(text: string, characters: number): boolean {
  if (text.length <= characters) return false;
  if (text.length > 2 * characters) return true;
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) at++;
    if (++count > characters) return true;
  }
  return false;
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
    for (let index = 0; index < list.length && !site.settled; index++) {
      const item = list[index] as JsonValue;
      validateValue(items, item, oldItem(node, item, old), site.words ? `${path}[${index}]` : '', site);
    }
  site.matches += 2;
  if (minItems !== undefined && list.length < minItems)
    site.fail(path, 'Invalid', list.length, () => `${path} in body should have at least ${minItems} items`);
  if (maxItems !== undefined && list.length > maxItems)
    site.fail(path, 'TooMany', list.length, () => `must have at most ${maxItems} ${maxItems === 1 ? 'item' : 'items'}`);
  if (node.uniqueItems && list.some((one, at) => list.findIndex((other) => jsonEqual(one, other)) < at))
    site.fail(path, 'Invalid', '', () => `${path} in body shouldn't contain duplicates`);
}

function checkMap(node: SchemaNode, map: JsonObject, old: JsonObject | undefined, path: string, site: Site): void {
  const { properties, additional, required, minProperties, maxProperties } = node;
  site.matches++;
  if (minProperties !== undefined || maxProperties !== undefined) {
    const size = Object.keys(map).length;
    if (minProperties !== undefined && size < minProperties)
      site.fail(path, 'Invalid', size, () => `${path} in body should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && size > maxProperties)
      site.fail(
        path,
        'TooMany',
        size,
        () => `must have at most ${maxProperties} ${maxProperties === 1 ? 'item' : 'items'}`,
      );
  }
  for (const key in map) {
    const value = map[key];
    // Reads the old value even if it is unused: V8 would otherwise specialise this line for a few names, and again for the next ones.
    const was = old === undefined ? undefined : old[key];
    if (value === undefined) continue;
    const property = properties.get(key);
    // This check comes before a path is built, because most of an updated object is unchanged.
    if (property !== undefined && value === was && !property.open) continue;
    if (property !== undefined) {
      const below = !site.words ? '' : path === '' ? key : `${path}.${key}`;
      validateValue(property, value, was, below, site);
    } else if (typeof additional === 'object')
      validateValue(additional, value, was, site.words ? `${path}.${key}` : '', site);
    else if (additional === false)
      site.fail(path, 'Invalid', key, () => `${path}.${key} in body is a forbidden property`);
  }
  for (const key of required)
    if (map[key] === undefined) site.fail(path === '' ? key : `${path}.${key}`, 'Required', undefined, () => '');
}

function checkCombinations(node: SchemaNode, value: JsonValue, path: string, site: Site): void {
  const { allOf, anyOf, oneOf, not } = node;
  const shown = (): string => JSON.stringify(path);
  const fail = (detail: () => string): void => site.fail('', 'Invalid', '', detail);
  if (anyOf.length > 0) {
    const valid = anyOf.find((one) => isValid(one, value, site));
    if (valid === undefined) fail(() => `${shown()} must validate at least one schema (anyOf)`);
    takeBest(valid, anyOf, value, path, site);
  }
  if (oneOf.length > 0) {
    const valid = oneOf.filter((one) => isValid(one, value, site));
    if (valid.length !== 1) {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      fail(() => `${shown()} must validate one and only one schema (oneOf). ${found}`);
    }
    // If several alternatives are valid, failures of the other ones are not reported: kube-openapi discards the best failure before a
    // success, and ignores later failures.
    if (valid.length < 2) takeBest(valid[0], oneOf, value, path, site);
  }
  if (allOf.length > 0) {
    let valid = 0;
    for (const one of allOf) if (take(one, value, path, site)) valid++;
    if (valid !== allOf.length)
      fail(() => `${shown()} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
  }
  if (not !== undefined && isValid(not, value, site)) fail(() => `${shown()} must not validate the schema (not)`);
}

function isValid(node: SchemaNode, value: JsonValue, of: Site): boolean {
  const tried = new Site('', 'validity', of);
  validate(node, value, undefined, '', tried);
  return !tried.failed;
}

/** Takes over the result of the valid alternative, or of the closest one. */
function takeBest(
  valid: SchemaNode | undefined,
  alternatives: readonly SchemaNode[],
  value: JsonValue,
  path: string,
  site: Site,
): void {
  // A valid alternative has no errors, only a number of matches.
  if (valid !== undefined && site.asked !== 'matches') return;
  take(valid ?? closest(alternatives, value, site), value, path, site);
}

/** Validates an alternative and takes over its errors; returns whether it is valid. */
function take(node: SchemaNode | undefined, value: JsonValue, path: string, site: Site): boolean {
  if (node === undefined || site.settled) return false;
  const tried = new Site(site.base, site.asked, site);
  validate(node, value, undefined, path, tried);
  site.matches += tried.matches;
  for (const error of tried.errors) site.add(error);
  if (tried.failed) site.failed = true;
  return !tried.failed;
}

/** Returns the failed alternative with the most passed checks. Once no more errors are collected, returns the first one. */
function closest(alternatives: readonly SchemaNode[], value: JsonValue, site: Site): SchemaNode | undefined {
  if (alternatives.length === 1 || site.settled) return alternatives[0];
  let found: SchemaNode | undefined;
  let most = -1;
  for (const one of alternatives) {
    if (found !== undefined && !site.compares) break;
    const tried = new Site('', 'matches', site);
    validate(one, value, undefined, '', tried);
    if (tried.matches <= most) continue;
    found = one;
    most = tried.matches;
  }
  return found;
}
