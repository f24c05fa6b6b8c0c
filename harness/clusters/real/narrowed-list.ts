/**
 * A list of all namespaces, cut down to those of the run: where it has several, no path and no selector asks for them alone.
 *
 * What is left goes out as JSON or protobuf encoded again, in the form that the client asked for first. Start at {@link narrowedList}.
 */
import { isMap, withoutKeys } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';

/** Whether an object is one of those that are shown. */
export type IsShown = (object: JsonObject) => boolean;

/** The list, or undefined where it is in no form that can be taken apart. */
export function narrowedList({ code, headers, body }: ApiResponse, isShown: IsShown): ApiResponse | undefined {
  if (!isMap(body)) return undefined;
  const { items, rows, metadata, ...rest } = body;
  // How many are left is of those of others too.
  const left = isMap(metadata) ? withoutKeys(metadata, ['remainingItemCount']) : metadata;
  const made = (key: 'items' | 'rows', of: readonly JsonValue[]): ApiResponse => ({
    code,
    ...(headers === undefined ? {} : { headers }),
    body: { ...rest, ...(left === undefined ? {} : { metadata: left }), [key]: of },
  });
  // A list of nothing may come without items.
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
