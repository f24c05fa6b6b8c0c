/**
 * Lists and maps that were sent empty for fields that Go always writes: they are stored as null, but the sender owns them. They are
 * recorded apart from the decoded object, because only field ownership needs them.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { EMBEDDED } from './embedded-structs.ts';

type Path = readonly (string | number)[];

export interface Emptied {
  readonly path: Path;
  readonly value: JsonValue;
}

const emptiedIn = new WeakMap<JsonObject, readonly Emptied[]>();

export function rememberEmptied(object: JsonObject, emptied: readonly Emptied[]): void {
  emptiedIn.set(object, emptied);
}

/** Returns `into`, which is `object` or derived from it, with the lists and maps that were sent empty. */
export function withEmptied<T extends JsonObject>(object: JsonObject, into: T): T {
  let sent: JsonObject = into;
  for (const { path, value } of emptiedIn.get(object) ?? []) sent = placed(sent, path, value) as JsonObject;
  return sent as T;
}

function placed(into: JsonValue, [part, ...rest]: Path, value: JsonValue): JsonValue {
  if (part === undefined) return into ?? value;
  if (typeof part === 'number') {
    if (!isList(into)) return into;
    return into.map((item, index) => (index === part ? placed(item, rest, value) : item));
  }
  if (part.startsWith(EMBEDDED)) return placed(into, rest, value);
  if (!isMap(into)) return into;
  const key = part.startsWith('\0') ? part.slice(1) : part;
  if (into[key] === undefined) return into;
  return { ...into, [key]: placed(into[key], rest, value) };
}
