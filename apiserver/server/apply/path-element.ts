/**
 * One step of a field path, in the spelling of FieldsV1: `f:name`, `k:{"name":"a"}`, `v:"item"`, `i:0`.
 *
 * Owns: creating, sorting and printing these strings. Equal elements are equal strings, so sets of them are plain maps. Mirrors
 * structured-merge-diff `fieldpath/element.go` and `serialize-pe.go`.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

/**
 * Go writes these keys with json-iterator, which escapes more than `JSON.stringify`: HTML too, and two control characters without their
 * short forms.
 */
const ESCAPES: { readonly [text: string]: string } = {
  '<': String.raw`\u003c`,
  '>': String.raw`\u003e`,
  '&': String.raw`\u0026`,
  '\u2028': String.raw`\u2028`,
  '\u2029': String.raw`\u2029`,
  [String.raw`\b`]: String.raw`\u0008`,
  [String.raw`\f`]: String.raw`\u000c`,
};

/** Returns a value as Go writes it. */
function goJson(value: JsonValue): string {
  return JSON.stringify(value).replaceAll(/\\.|[<>&\u2028\u2029]/g, (text) => ESCAPES[text] ?? text);
}

export function fieldElement(name: string): string {
  return `f:${name}`;
}

export function valueElement(value: JsonValue): string {
  return `v:${goJson(value)}`;
}

/** Returns the element of a list item by its key fields, sorted by name. */
export function keyElement(fields: readonly (readonly [string, JsonValue])[]): string {
  let text = '';
  for (const [name, value] of fields) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${goJson(value)}`;
  return `k:{${text}}`;
}

/** The error for a malformed key of FieldsV1. */
export interface BadElement {
  readonly why: string;
}

/** Returns a key of FieldsV1 in canonical form; undefined for an element of a type that only later versions know, which is dropped. */
export function parseElement(text: string): string | BadElement | undefined {
  if (text.length < 2) return { why: 'key must be 2 characters long:' };
  if (text[1] !== ':') return { why: `missing colon: ${text}` };
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'i':
      return /^[+-]?\d+$/.test(rest)
        ? `i:${Number(rest)}`
        : { why: `strconv.Atoi: parsing ${JSON.stringify(rest)}: invalid syntax` };
    case 'v':
    case 'k':
      try {
        const value = JSON.parse(rest) as JsonValue;
        if (text[0] === 'v') return valueElement(value);
        if (!isMap(value)) return { why: 'expect a map of key fields' };
        return keyElement(keyFields(value));
      } catch {
        return { why: `invalid JSON: ${rest}` };
      }
    default:
      return undefined;
  }
}

function keyFields(map: JsonObject): readonly (readonly [string, JsonValue])[] {
  return Object.entries(map)
    .map(([name, value]) => [name, value ?? null] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const RANK: { readonly [kind: string]: number } = { f: 0, k: 1, v: 2, i: 3 };

/** Returns the elements in the order of FieldsV1: fields by name, then keys, values and indices by content. Sorts in place. */
export function sortedElements(elements: string[]): string[] {
  if (elements.every((one) => one.startsWith('f:'))) return elements.sort();
  // Contents are decoded once, not at every comparison.
  const read = elements.map((text) => ({ text, kind: text[0] ?? '', holds: holding(text) }));
  return read.sort(compareElements).map(({ text }) => text);
}

type Fields = ReturnType<typeof keyFields>;

interface Element {
  readonly text: string;
  readonly kind: string;
  readonly holds: Fields | JsonValue;
}

function holding(text: string): Fields | JsonValue {
  if (text.startsWith('k:')) return keyFields(JSON.parse(text.slice(2)) as JsonObject);
  return text.startsWith('v:') ? (JSON.parse(text.slice(2)) as JsonValue) : null;
}

function compareElements({ text: a, kind, holds }: Element, { text: b, kind: other, holds: held }: Element): number {
  if (a === b) return 0;
  const rank = (RANK[kind] ?? 4) - (RANK[other] ?? 4);
  if (rank !== 0) return rank;
  switch (kind) {
    case 'k': {
      const left = holds as Fields;
      const right = held as Fields;
      for (let index = 0; ; index++) {
        const one = left[index];
        const other = right[index];
        if (one === undefined) return other === undefined ? 0 : -1;
        if (other === undefined) return 1;
        if (one[0] !== other[0]) return one[0] < other[0] ? -1 : 1;
        const order = compareValues(one[1], other[1]);
        if (order !== 0) return order;
      }
    }
    case 'v':
      return compareValues(holds, held);
    case 'i':
      return Number(a.slice(2)) - Number(b.slice(2));
    default:
      return a < b ? -1 : 1;
  }
}

const TYPES = ['number', 'string', 'boolean', 'list', 'map', 'null'];

function typeRank(value: JsonValue): number {
  return TYPES.indexOf(value === null ? 'null' : isList(value) ? 'list' : isMap(value) ? 'map' : typeof value);
}

/** Compares values: numbers sort before strings, then booleans, lists, maps and null. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const rank = typeRank(a) - typeRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'number' || typeof a === 'string' || typeof a === 'boolean')
    return a === b ? 0 : a < (b as typeof a) ? -1 : 1;
  const left = JSON.stringify(a);
  const right = JSON.stringify(b);
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Returns an element in the form that messages use: `.name`, `[name="a"]`, `[="item"]`, `[0]`. */
export function elementText(element: string): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k':
      return `[${keyFields(JSON.parse(rest) as JsonObject)
        .map(([name, value]) => `${name}=${valueText(value)}`)
        .join(',')}]`;
    case 'v':
      return `[=${valueText(JSON.parse(rest) as JsonValue)}]`;
    default:
      return `[${rest}]`;
  }
}

function valueText(value: JsonValue): string {
  if (isList(value)) return `[${value.map(valueText).join(',')}]`;
  if (isMap(value))
    return Object.entries(value)
      .map(([key, one]) => `${key}=${valueText(one ?? null)}`)
      .join('');
  return JSON.stringify(value);
}

/** Returns a path in the form that messages use. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}
