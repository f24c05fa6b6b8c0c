/**
 * Removes the objects of other namespaces from a list of all namespaces: if the run has several namespaces, no path or selector requests
 * exactly these.
 *
 * The filtered list is encoded again as JSON or protobuf, in the format that the client prefers. Start at {@link narrowedList}.
 */
import { isMap, withoutKeys } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';

/** Reports whether the client may see an object. */
export type IsShown = (object: JsonObject) => boolean;

/** Returns the filtered list, or undefined if its format cannot be parsed. */
export function narrowedList({ code, headers, body }: ApiResponse, isShown: IsShown): ApiResponse | undefined {
  if (!isMap(body)) return undefined;
  const { items, rows, metadata, ...rest } = body;
  // The count of remaining items includes those of other users.
  const left = isMap(metadata) ? withoutKeys(metadata, ['remainingItemCount']) : metadata;
  const made = (key: 'items' | 'rows', of: readonly JsonValue[]): ApiResponse => ({
    code,
    ...(headers === undefined ? {} : { headers }),
    body: { ...rest, ...(left === undefined ? {} : { metadata: left }), [key]: of },
  });
  // An empty list may lack the field `items`.
  if (Array.isArray(rows))
    return made(
      'rows',
      rows.filter((row) => isMap(row) && isShownIn(row['object'], isShown)),
    );
  const { kind } = rest;
  if (items === undefined && typeof kind === 'string' && kind.endsWith('List')) return made('items', []);
  return Array.isArray(items)
    ? made(
        'items',
        items.filter((item) => isShownIn(item, isShown)),
      )
    : undefined;
}

function isShownIn(object: JsonValue | undefined, isShown: IsShown): boolean {
  return isMap(object) && isShown(object);
}
