/** Values as Go's `%v` prints them: `map[a:1 b:[x y]]`, keys sorted. Messages about strategic merge patches show them so. */
import { isList, isMap } from '../../model/json.ts';
import type { JsonValue } from '../../model/object.ts';

export function goPrinted(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (isList(value)) return `[${value.map(goPrinted).join(' ')}]`;
  if (!isMap(value)) return String(value);
  const parts = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .toSorted()
    .map((key) => `${key}:${goPrinted(value[key])}`);
  return `map[${parts.join(' ')}]`;
}

/** What Go's reflection calls a decoded value; of null it has no name. */
export function goReflected(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
