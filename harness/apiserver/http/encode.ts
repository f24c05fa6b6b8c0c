/**
 * Answers and watch events as they travel.
 *
 * Owns: JSON, YAML and protobuf forms, tables and metadata views of answers, and the texts kept per stored object so that a read, a
 * list and a hundred watches turn it into text once. Does not own: which form is wanted (`negotiate.ts`). Start at {@link encodeBody} and
 * {@link eventEncoder}.
 */
import { stringify } from 'yaml';
import type { JsonObject, JsonValue } from '../../model/object.ts';
import type { WatchEvent } from '../../model/watch-event.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { listAsSent } from '../../wire/typed-list.ts';
import { isList, isMap } from '../definition.ts';
import { MEDIA_TYPES, type Wanted } from './negotiate.ts';

export interface EncodedBody {
  readonly code: number;
  /** Content-Type. */
  readonly type: string;
  readonly payload: string | Buffer;
}

/** One answer, in the form that was negotiated. The code can change: some transformations are refused only now. */
export function encodeBody(want: Wanted, answer: ApiResponse, _request: ApiRequest): EncodedBody {
  const { code, body, plainText } = answer;
  if (plainText === true || typeof body === 'string')
    return {
      code,
      type: answer.headers?.['content-type'] ?? 'text/plain; charset=utf-8',
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    };
  const shown = want.as !== undefined && code < 300 ? metadataOf(body) : body;
  return { code, ...encodeValue(want, shown) };
}

function encodeValue(want: Wanted, body: JsonValue): Omit<EncodedBody, 'code'> {
  const type = MEDIA_TYPES[want.media];
  if (want.media === 'yaml') return { type, payload: stringify(listAsSent(body), { sortMapEntries: true }) };
  if (want.pretty) return { type, payload: JSON.stringify(listAsSent(body), undefined, 2) };
  return { type, payload: `${jsonText(body)}\n` };
}

/** How one watch sends its events. */
export interface EventEncoder {
  /** Content-Type of the stream. */
  readonly type: string;
  encode(event: WatchEvent): string | Buffer;
}

/** The encoder of one watch: it remembers what this watch has been sent. */
export function eventEncoder(want: Wanted, _request: ApiRequest): EventEncoder {
  return {
    type: MEDIA_TYPES.json,
    encode: (event) => {
      if (want.as === undefined || event.type === 'ERROR') return frameOf(event);
      return `{"type":"${event.type}","object":${jsonText(metadataOf(event.object))}}\n`;
    },
  };
}

/** The latest frame: the watches of one resource are told one after the other, and all get the same bytes. */
let latest: { readonly object: object; readonly type: string; readonly frame: Buffer } | undefined;

function frameOf({ type, object }: WatchEvent): Buffer {
  if (latest !== undefined && latest.object === object && latest.type === type) return latest.frame;
  const frame = Buffer.from(`{"type":"${type}","object":${jsonText(object)}}\n`);
  latest = { object, type, frame };
  return frame;
}

/** JSON of a body; stored objects are turned into text once. */
export function jsonText(body: JsonValue): string {
  if (!isMap(body)) return JSON.stringify(body);
  const { items, kind, apiVersion } = body;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return JSON.stringify(body);
  if (isList(items)) return listText(body, items);
  const rest = restText(body);
  return rest === '{}' ? `${headOf(kind, apiVersion)}}` : `${headOf(kind, apiVersion)},${rest.slice(1)}`;
}

function listText(list: JsonObject, items: readonly JsonValue[]): string {
  const bare = listAsSent(list) !== list;
  const texts = items.map((item) => (bare && isMap(item) ? restText(item) : jsonText(item)));
  const { items: _, ...head } = list;
  return `${JSON.stringify(head).slice(0, -1)},"items":[${texts.join(',')}]}`;
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

/** Texts of stored objects, without apiVersion and kind. */
const texts = new WeakMap<object, string>();

function restText(object: JsonObject): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const { apiVersion: _, kind: __, ...rest } = object;
  const text = JSON.stringify(rest);
  // Only what has a version is stored, and only what is stored is shown again.
  if (isMap(object['metadata']) && object['metadata']['resourceVersion'] !== undefined) texts.set(object, text);
  return text;
}

/** The metadata of an object or of a list's items. */
function metadataOf(body: JsonValue): JsonValue {
  if (!isMap(body) || body['kind'] === 'Status') return body;
  const { items, metadata } = body;
  if (isList(items))
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: items.map((item): JsonObject => partial(isMap(item) ? item['metadata'] : undefined)),
    };
  return metadata === undefined ? body : partial(metadata);
}

function partial(metadata: JsonValue | undefined): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
