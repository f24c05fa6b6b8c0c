/** Values as Go's `%v` prints them: `map[a:1 b:[x y]]`, keys sorted. Messages about strategic merge patches show them so. */
import { isList, isMap } from '../../model/json.ts';
import type { JsonObject, JsonValue } from '../../model/object.ts';

/** kube-apiserver shows it whole, and a message names a patch twice: of three megabytes, an answer would take tens. */
const SHOWN_MAX = 64 * 1024;

/** A text as far as messages show it. */
export function cutForMessage(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

export function goPrinted(value: JsonValue | undefined): string {
  const parts: string[] = [];
  const left = print(value, parts, SHOWN_MAX);
  return left > 0 ? parts.join('') : `${parts.join('')}…`;
}

/** Appends the text of a value to `parts`, and gives back how many characters are left of `room`. Nothing is appended after the last. */
function print(value: JsonValue | undefined, parts: string[], room: number): number {
  if (room <= 0) return room;
  if (isList(value)) return printAll('[', value.values(), ']', parts, room);
  if (isMap(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    return printAll('map[', keys.toSorted(), ']', parts, room, value);
  }
  const text = (value === undefined || value === null ? '<nil>' : String(value)).slice(0, room);
  parts.push(text);
  return room - text.length;
}

function printAll(
  open: string,
  items: Iterable<JsonValue>,
  close: string,
  parts: string[],
  room: number,
  map?: JsonObject,
): number {
  parts.push(open);
  let left = room - open.length;
  let between = '';
  for (const item of items) {
    if (left <= 0) return left;
    const before = map === undefined ? between : `${between}${String(item)}:`;
    parts.push(before);
    left = print(map === undefined ? item : map[String(item)], parts, left - before.length);
    between = ' ';
  }
  parts.push(close);
  return left - close.length;
}

/** What Go's reflection calls a decoded value; of null it has no name. */
export function goReflected(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
