/**
 * Hides secrets in CRD schemas, whose descriptions, defaults and examples may contain tokens.
 *
 * Owns: which parts of a schema are prose or values, and which define what the server accepts. In the latter (patterns, rules,
 * field names) a word like "password=" does not announce a secret, and a replay without the secrets must accept the same
 * objects. Pure.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { changed } from './stand-in.ts';

/** The field of a CRD that contains its schema. */
export const SCHEMA = 'openAPIV3Schema';

/** Keys of prose, and of field values. */
const LIKE_OBJECTS: ReadonlySet<string> = new Set(['default', 'description', 'example', 'examples', 'title']);
/** Maps from names to schemas: a field may be named "description" or "properties". */
const BY_NAME: ReadonlySet<string> = new Set(['definitions', 'dependencies', 'patternProperties', 'properties']);

export interface SchemaParts {
  /** Replaces a field value or prose. */
  readonly value: (value: JsonValue) => JsonValue;
  /** Replaces a text that the server evaluates, or a key. */
  readonly text: (text: string) => string;
}

/** Returns the schema with its parts replaced; the same object if nothing changes. */
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
