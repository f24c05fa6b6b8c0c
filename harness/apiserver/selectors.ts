/**
 * Label and field selectors.
 *
 * Owns: parsing the selector grammars of `?labelSelector=` and `?fieldSelector=` and compiling them to predicates. Parsed label
 * selectors are cached by text. A refusal's text follows k8s.io/apimachinery `labels/selector.go` and `fields/selector.go`.
 */
import { isList, isMap } from '../model/json.ts';
import type { JsonValue, KubeObject } from '../model/object.ts';
import { type FieldReader } from './definition.ts';

export type Labels = { readonly [key: string]: string };

/** Undefined where a selector selects everything. */
export type LabelMatcher = (labels: Labels) => boolean;

export type ObjectMatcher = (object: KubeObject) => boolean;

const NO_LABELS: Labels = {};
const cache = new Map<string, LabelMatcher | undefined | string>();

/** A predicate, undefined when everything matches, or a string saying why the text cannot be parsed. */
export function parseLabelSelector(text: string): LabelMatcher | undefined | string {
  if (text === '') return undefined;
  if (cache.has(text)) return cache.get(text);
  const parsed = new LabelParser(text).parse();
  if (cache.size > 10_000) cache.clear();
  cache.set(text, parsed);
  return parsed;
}

/** Whether an object's labels match. */
export function labelsMatch(matcher: LabelMatcher | undefined, object: KubeObject): boolean {
  return matcher === undefined || matcher(object.metadata.labels ?? NO_LABELS);
}

const TOKEN = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;
const WORD = /^[^\s=!(),<>]+$/;

class LabelParser {
  readonly #tokens: string[] = [];
  #at = 0;

  constructor(text: string) {
    TOKEN.lastIndex = 0;
    let match = TOKEN.exec(text);
    while (match !== null) {
      this.#tokens.push(match[1] ?? '');
      match = TOKEN.exec(text);
    }
  }

  parse(): LabelMatcher | string {
    const all: LabelMatcher[] = [];
    const start = this.#peek();
    if (start !== '!' && !WORD.test(start)) return `found '${start}', expected: !, identifier, or 'end of string'`;
    for (;;) {
      const one = this.#requirement();
      if (typeof one === 'string') return `unable to parse requirement: ${one}`;
      all.push(one);
      const next = this.#next();
      if (next === '') break;
      if (next !== ',') return `found '${next}', expected: ',' or 'end of string'`;
      const after = this.#peek();
      if (after !== '!' && !WORD.test(after)) return `found '${after}', expected: identifier after ','`;
    }
    const [first] = all;
    if (all.length === 1 && first !== undefined) return first;
    return (labels) => all.every((one) => one(labels));
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? '';
  }

  #peek(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #requirement(): LabelMatcher | string {
    let key = this.#next();
    const negated = key === '!';
    if (negated) key = this.#next();
    if (!WORD.test(key)) return `found '${key}', expected: identifier`;
    if (negated) return (labels) => labels[key] === undefined;
    const peek = this.#peek();
    if (peek === '' || peek === ',') return (labels) => labels[key] !== undefined;
    const operator = this.#next();
    switch (operator) {
      case '=':
      case '==': {
        const value = this.#value();
        return (labels) => labels[key] === value;
      }
      case '!=': {
        const value = this.#value();
        return (labels) => labels[key] !== value;
      }
      case 'in':
      case 'notin': {
        const values = this.#values();
        if (typeof values === 'string') return values;
        if (operator === 'in')
          return (labels) => {
            const value = labels[key];
            return value !== undefined && values.has(value);
          };
        return (labels) => {
          const value = labels[key];
          return value === undefined || !values.has(value);
        };
      }
      case '<':
      case '>': {
        const bound = Number(this.#value());
        const sign = operator === '>' ? 1 : -1;
        return (labels) => {
          const value = Number(labels[key] ?? Number.NaN);
          return (value - bound) * sign > 0;
        };
      }
      default:
        return `found '${operator}', expected: in, notin, =, ==, !=, gt, lt`;
    }
  }

  #value(): string {
    const peek = this.#peek();
    return WORD.test(peek) ? this.#next() : '';
  }

  #values(): ReadonlySet<string> | string {
    const open = this.#next();
    if (open !== '(') return `found '${open}' expected: '('`;
    const values = new Set<string>();
    let before = '';
    for (let token = this.#next(); ; before = token, token = this.#next()) {
      if (token === ')') {
        if (values.size === 0) values.add('');
        return values;
      }
      if (token === ',') {
        const peek = this.#peek();
        if (values.size === 0 || peek === ')' || peek === ',') values.add('');
        continue;
      }
      if (!WORD.test(token) || (values.size > 0 && before !== ',')) return `found '${token}', expected: ',' or ')'`;
      values.add(token);
    }
  }
}

export interface FieldTerm {
  readonly label: string;
  readonly value: string;
  readonly equal: boolean;
}

/** The terms of a field selector, or a string saying why it cannot be parsed. */
export function parseFieldSelector(text: string): readonly FieldTerm[] | string {
  if (text === '') return [];
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text)) {
    if (part === '') continue;
    const match = /^((?:[^\\=!]|\\.|!(?!=))*)(==|!=|=)(.*)$/s.exec(part);
    if (match === null) return `invalid selector: '${text}'; can't understand '${part}'`;
    const [, label = '', operator = '', raw = ''] = match;
    terms.push({ label, equal: operator !== '!=', value: raw.replace(/\\([\\,=])/g, '$1') });
  }
  return terms;
}

/** Splits at commas that are not escaped. */
function splitTerms(text: string): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (let index = 0; index < text.length; index++) {
    const char = text[index] ?? '';
    if (char === '\\') part += char + (text[++index] ?? '');
    else if (char === ',') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  parts.push(part);
  return parts;
}

/** A predicate over the terms; undefined when there is none. `reader` knows every label (checked before). */
export function compileFields(
  terms: readonly FieldTerm[],
  reader: (label: string) => FieldReader | undefined,
): ObjectMatcher | undefined {
  if (terms.length === 0) return undefined;
  const tests = terms.map((term): ObjectMatcher => {
    const read = reader(term.label);
    return (object) => ((read?.(object) ?? '') === term.value) === term.equal;
  });
  return (object) => tests.every((test) => test(object));
}

/** A `LabelSelector` object (or a plain map of labels) in the text form of `?labelSelector=`. */
export function selectorText(selector: JsonValue | undefined): string {
  if (!isMap(selector)) return '';
  const { matchLabels, matchExpressions } = selector;
  const labels = isMap(matchLabels) ? matchLabels : matchExpressions === undefined ? selector : {};
  const terms = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${scalar(labels[key])}`);
  for (const one of isList(matchExpressions) ? matchExpressions : []) {
    if (!isMap(one)) continue;
    const key = scalar(one['key']);
    const values = (isList(one['values']) ? one['values'] : []).map(scalar).sort().join(',');
    switch (one['operator']) {
      case 'In':
        terms.push(`${key} in (${values})`);
        break;
      case 'NotIn':
        terms.push(`${key} notin (${values})`);
        break;
      case 'Exists':
        terms.push(key);
        break;
      default:
        terms.push(`!${key}`);
    }
  }
  return terms.join(',');
}

function scalar(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
