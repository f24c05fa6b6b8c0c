/**
 * The JSON of objects and lists, cached per stored object.
 *
 * Owns: the rule that reads, lists and watches serialise an object once. Objects are frozen by convention, so identity implies equal
 * content.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { listAsSent } from '../../wire/typed-list.ts';

/**
 * Returns the JSON of a body. The JSON of `read` bodies is cached, because they will be read again; a written object is usually only sent
 * to watches.
 */
export function jsonText(body: JsonValue, read: boolean): string {
  if (!isMap(body)) return JSON.stringify(body);
  const { items, kind, apiVersion } = body;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return JSON.stringify(body);
  if (isList(items)) return listText(body, items, read);
  const rest = restText(body, read);
  return rest === '{}' ? `${headOf(kind, apiVersion)}}` : `${headOf(kind, apiVersion)},${rest.slice(1)}`;
}

function listText(list: JsonObject, items: readonly JsonValue[], read: boolean): string {
  const bare = listAsSent(list) !== list;
  let text = '';
  for (const item of items)
    text += `${text === '' ? '' : ','}${bare && isMap(item) ? restText(item, read) : jsonText(item, read)}`;
  const { items: _, ...head } = list;
  return `${JSON.stringify(head).slice(0, -1)},"items":[${text}]}`;
}

/** The minimum number of items of a list that is cached as bytes: large lists are usually requested more than once. */
const LARGE_LIST = 100;

interface RememberedList {
  readonly head: string;
  readonly items: readonly JsonValue[];
  readonly bytes: Buffer;
}

/** The last large list that was sent. */
let latest: RememberedList | undefined;

/** Returns the JSON of a body, followed by a line break. Reuses the bytes of the last large list if its items are unchanged. */
export function jsonLine(body: JsonValue, read: boolean): string | Buffer {
  const items = isMap(body) ? body['items'] : undefined;
  if (!isMap(body) || !isList(items) || items.length < LARGE_LIST) return `${jsonText(body, read)}\n`;
  const { items: _, ...rest } = body;
  const head = JSON.stringify(rest);
  if (latest !== undefined && latest.head === head && sameItems(latest.items, items)) return latest.bytes;
  const bytes = Buffer.from(`${jsonText(body, read)}\n`);
  latest = { head, items, bytes };
  return bytes;
}

function sameItems(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

const heads = new Map<string, string>();

function headOf(kind: string, apiVersion: string): string {
  const key = `${apiVersion}/${kind}`;
  let head = heads.get(key);
  if (head === undefined) {
    if (heads.size > 10_000) heads.clear();
    heads.set(key, (head = JSON.stringify({ kind, apiVersion }).slice(0, -1)));
  }
  return head;
}

/** The JSON of stored objects without apiVersion and kind, which items of built-in lists do not have. */
const texts = new WeakMap<object, string>();

/** The last object that was serialised. */
let last: { readonly object: JsonObject; readonly text: string } | undefined;

function restText(object: JsonObject, read: boolean): string {
  const kept = texts.get(object);
  if (kept !== undefined) return kept;
  if (last?.object !== object)
    last = { object, text: JSON.stringify({ ...object, apiVersion: undefined, kind: undefined }) };
  // Only objects with a version are stored, and only stored objects are sent again.
  if (read && isMap(object['metadata']) && object['metadata']['resourceVersion'] !== undefined)
    texts.set(object, last.text);
  return last.text;
}
