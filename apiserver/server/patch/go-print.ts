/** Formats values like Go's `%v`: `map[a:1 b:[x y]]`, keys sorted. Used in messages about strategic merge patches. */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';

/** The maximum length of a value in a message. kube-apiserver has no maximum, and its message contains a patch twice. */
const SHOWN_MAX = 64 * 1024;

/** Returns a text, truncated to what messages may contain. */
export function cutForMessage(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}…`;
}

export function goPrinted(value: JsonValue | undefined): string {
  const parts: string[] = [];
  const left = print(value, parts, SHOWN_MAX);
  return left > 0 ? parts.join('') : `${parts.join('')}…`;
}

/** Appends the text of a value to `parts`, at most `room` characters, and returns how much room is left. */
function print(value: JsonValue | undefined, parts: string[], room: number): number {
  if (isList(value)) {
    let left = put('[', parts, room);
    for (let at = 0; at < value.length && left > 0; at++) {
      if (at > 0) left = put(' ', parts, left);
      left = print(value[at], parts, left);
    }
    return put(']', parts, left);
  }
  if (!isMap(value)) return put(value === undefined || value === null ? '<nil>' : String(value), parts, room);
  let left = put('map[', parts, room);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  for (const [at, key] of keys.toSorted().entries()) {
    if (left === 0) break;
    left = put(at === 0 ? `${key}:` : ` ${key}:`, parts, left);
    left = print(value[key], parts, left);
  }
  return put(']', parts, left);
}

function put(text: string, parts: string[], room: number): number {
  if (room === 0) return 0;
  const piece = text.slice(0, room);
  parts.push(piece);
  return room - piece.length;
}

/** Returns the name that Go's reflection has for the type of a decoded value; null has none. */
export function goReflected(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (isList(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
