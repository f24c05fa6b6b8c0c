/** JSON merge patch (RFC 7386): nulls delete, maps merge, any other value replaces. The target is shared and never modified. */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isMap(patch)) return patch;
  const base: JsonObject = isMap(target) ? target : {};
  let copy: { [key: string]: JsonValue | undefined } | undefined = isMap(target) ? undefined : {};
  for (const key in patch) {
    const value = patch[key];
    if (value === undefined) continue;
    if (value === null) {
      if (base[key] === undefined) continue;
      copy ??= { ...base };
      delete copy[key];
      continue;
    }
    const merged = applyMergePatch(base[key], value);
    if (merged === base[key]) continue;
    copy ??= { ...base };
    copy[key] = merged;
  }
  return copy ?? base;
}
