/** Reads fields of objects for tables; every field may be missing. */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

/** A cell of a row. */
export type Cell = JsonValue;

/** Returns the value at a path of keys and indices. */
export function at(value: JsonValue | undefined, ...path: readonly (string | number)[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    if (typeof key === 'number') current = isList(current) ? current[key] : undefined;
    else current = isMap(current) ? current[key] : undefined;
  }
  return current ?? undefined;
}

/** Returns a value as text, or `otherwise` when it is absent or empty. */
export function text(value: JsonValue | undefined, otherwise = ''): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : otherwise;
}

export function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

export function items(value: JsonValue | undefined): readonly JsonValue[] {
  return isList(value) ? value : [];
}

export function maps(value: JsonValue | undefined): readonly JsonObject[] {
  return items(value).filter(isMap);
}

/** Returns the number of keys of a map, or of items of a list. */
export function count(value: JsonValue | undefined): number {
  return isMap(value) ? Object.keys(value).length : items(value).length;
}

/** Returns labels as `a=b,c=d`, sorted; `<none>` when empty. */
export function labelsText(labels: JsonValue | undefined): string {
  return pairs(labels).join(',') || '<none>';
}

function pairs(labels: JsonValue | undefined): readonly string[] {
  if (!isMap(labels)) return [];
  return Object.keys(labels)
    .toSorted()
    .map((key) => `${key}=${text(labels[key])}`);
}

/** Returns a label selector in `kubectl`'s syntax. Requirements are sorted by key. */
export function selectorText(selector: JsonValue | undefined): string {
  const requirements: (readonly [string, string])[] = [];
  const labels = at(selector, 'matchLabels');
  if (isMap(labels)) for (const key of Object.keys(labels)) requirements.push([key, `${key}=${text(labels[key])}`]);
  for (const { key, operator, values } of maps(at(selector, 'matchExpressions'))) {
    const name = text(key);
    const list = items(values)
      .map((value) => text(value))
      .toSorted()
      .join(',');
    if (operator === 'In') requirements.push([name, `${name} in (${list})`]);
    else if (operator === 'NotIn') requirements.push([name, `${name} notin (${list})`]);
    else requirements.push([name, operator === 'DoesNotExist' ? `!${name}` : name]);
  }
  return requirements
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, requirement]) => requirement)
    .join(',');
}

/** Returns the names and the images of containers. */
export function containers(template: JsonValue | undefined): readonly [string, string] {
  const all = maps(at(template, 'spec', 'containers'));
  return [all.map(({ name }) => text(name)).join(','), all.map(({ image }) => text(image)).join(',')];
}

/** Returns at most `max` items of a list, and how many more there are; `none` when the list is empty. */
export function listWithMore(list: readonly string[], max: number, none: string): string {
  const shown = list.slice(0, max).join(',');
  if (list.length > max) return `${shown} + ${list.length - max} more...`;
  return shown === '' ? none : shown;
}
