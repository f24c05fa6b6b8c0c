/**
 * Definitions hold examples of what their objects hold: tokens among them, in descriptions, defaults and examples.
 *
 * Owns: which parts of a schema are prose or values, and which say what the server takes. In the latter (patterns, rules, names of
 * fields) a word like "password=" is no sign of a secret, and a replay without the secrets has to accept the same objects. Pure.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { changed } from './stand-in.ts';

/** The field of a definition that holds its schema. */
export const SCHEMA = 'openAPIV3Schema';

/** What people read, and values of fields. */
const LIKE_OBJECTS: ReadonlySet<string> = new Set(['default', 'description', 'example', 'examples', 'title']);
/** Maps from names to schemas: a field may be called "description" or "properties". */
const BY_NAME: ReadonlySet<string> = new Set(['definitions', 'dependencies', 'patternProperties', 'properties']);

export interface SchemaParts {
  /** What takes the place of a value as objects have it, or of prose. */
  readonly value: (value: JsonValue) => JsonValue;
  /** What takes the place of a text that the server reads, or of a key. */
  readonly text: (text: string) => string;
}

/** The schema with its parts replaced; the same one where nothing changes. */
export function hideInSchema(schema: JsonValue, parts: SchemaParts, isByName = false): JsonValue {
  if (typeof schema === 'string') return parts.text(schema);
  if (Array.isArray(schema)) return changed(schema as readonly JsonValue[], (item) => hideInSchema(item, parts));
  if (!isMap(schema)) return schema;
  let isSame = true;
  const out = Object.entries(schema).map(([key, item]): readonly [string, JsonValue | undefined] => {
    const name = parts.text(key);
    const hidden =
      item === undefined
        ? undefined
        : !isByName && LIKE_OBJECTS.has(key)
          ? parts.value(item)
          : hideInSchema(item, parts, !isByName && BY_NAME.has(key));
    isSame &&= hidden === item && name === key;
    return [name, hidden];
  });
  return isSame ? schema : Object.fromEntries(out);
}
