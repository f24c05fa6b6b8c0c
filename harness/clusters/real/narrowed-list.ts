/**
 * A list of all namespaces, cut down to those of the run: where it has several, no path and no selector asks for them alone.
 *
 * What is left goes out as JSON or protobuf made anew, in the form that the client asked for first. Start at {@link narrowedList}.
 */
import type { JsonObject, JsonValue } from '../../model/object.ts';
import type { ApiResponse } from '../../wire/http.ts';

/** Whether an object is one of those that are shown. */
export type IsShown = (object: JsonObject) => boolean;

/** The list, or undefined where it is in no form that can be taken apart. */
export function narrowedList({ code, headers, body }: ApiResponse, isShown: IsShown): ApiResponse | undefined {
  if (!isObject(body)) return undefined;
  const { items, rows, metadata, ...rest } = body;
  const left = isObject(metadata) ? withoutCount(metadata) : metadata;
  const made = (key: 'items' | 'rows', of: readonly JsonValue[]): ApiResponse => ({
    code,
    ...(headers === undefined ? {} : { headers }),
    body: { ...rest, ...(left === undefined ? {} : { metadata: left }), [key]: of },
  });
  // A list of nothing may come without items.
  if (Array.isArray(rows))
    return made(
      'rows',
      rows.filter((row) => isObject(row) && isShownIn(row['object'], isShown)),
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
  return isObject(object) && isShown(object);
}

/** How many are left is of those of others too. */
function withoutCount(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== 'remainingItemCount'));
}

function isObject(value: JsonValue | string | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
