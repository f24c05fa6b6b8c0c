/**
 * Label and field selectors.
 *
 * Owns: parsing `?labelSelector=` and `?fieldSelector=` and compiling them to predicates. Parsed label selectors are cached by text. Error
 * messages follow k8s.io/apimachinery `labels/selector.go` and `fields/selector.go`.
 */
import { isList, isMap } from '../objects/json.ts';
import type { JsonValue, KubeObject } from '../objects/object.ts';
import { type LabelMatcher, type Labels, compileLabelSelector } from './label-selector.ts';
import { type FieldReader } from './definition.ts';

export type ObjectMatcher = (object: KubeObject) => boolean;

const NO_LABELS: Labels = {};
const cache = new Map<string, LabelMatcher | undefined | string>();

/** Returns a predicate, undefined when everything matches, or a parse error. */
export function parseLabelSelector(text: string): LabelMatcher | undefined | string {
  if (text === '') return undefined;
  if (cache.has(text)) return cache.get(text);
  const parsed = compileLabelSelector(text);
  if (cache.size > 10_000) cache.clear();
  cache.set(text, parsed);
  return parsed;
}

/** Reports whether an object's labels match. */
export function labelsMatch(matcher: LabelMatcher | undefined, object: KubeObject): boolean {
  return matcher === undefined || matcher(object.metadata.labels ?? NO_LABELS);
}

export interface FieldTerm {
  readonly label: string;
  readonly value: string;
  readonly equal: boolean;
}

/** Returns the terms of a field selector, or a parse error. */
export function parseFieldSelector(text: string): readonly FieldTerm[] | string {
  if (text === '') return [];
  const terms: FieldTerm[] = [];
  for (const part of splitTerms(text).sort()) {
    if (part === '') continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(part);
    if (match === null) return `invalid selector: '${text}'; can't understand '${part}'`;
    const [, label = '', operator = '', raw = ''] = match;
    const problem = valueProblem(raw);
    if (problem !== undefined) return `invalid field selector: ${problem}`;
    terms.push({ label, equal: operator !== '!=', value: raw.replace(/\\(.)/gs, '$1') });
  }
  return terms;
}

/** Returns the error for a value with unescaped special characters. */
function valueProblem(raw: string): string | undefined {
  for (let at = 0; at < raw.length; at++) {
    const char = raw.charAt(at);
    if (char === ',' || char === '=') return `unescaped character in value: ${char.charCodeAt(0)}`;
    if (char !== '\\') continue;
    const escaped = raw.charAt(++at);
    if (escaped === '' || !'\\,='.includes(escaped)) return `invalid escape sequence: \\${escaped}`;
  }
  return undefined;
}

/** Splits a selector at unescaped commas. */
function splitTerms(text: string): string[] {
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

/**
 * Returns a predicate that checks all terms; undefined when there are none. `reader` supports all labels in the terms, which were checked
 * before.
 */
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

/** Returns a `LabelSelector` object (or a plain map of labels) in the text form of `?labelSelector=`. */
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
