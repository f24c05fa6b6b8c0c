/**
 * Encodes answers and watch events.
 *
 * Owns: the JSON, YAML and protobuf forms of a transformed answer (`transform.ts`), and the frames of watches. Does not own: the choice of
 * the form (`negotiate.ts`), the cached texts of objects (`json-text.ts`). Start at {@link encodeBody} and {@link eventEncoder}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { WatchEvent } from '../../objects/watch-event.ts';
import type { ApiRequest, ApiResponse } from '../../wire/http.ts';
import { encodeFrame, encodeProtobuf } from '../../wire/protobuf/envelope.ts';
import { listAsSent } from '../../wire/typed-list.ts';
import { jsonLine, jsonText } from './json-text.ts';
import { MEDIA_TYPES, type Media, type Wanted } from './negotiate.ts';
import { transformed } from './transform.ts';
import { yaml } from './yaml-library.ts';

export interface EncodedBody {
  readonly code: number;
  /** The Content-Type of the body. */
  readonly type: string;
  readonly payload: string | Buffer;
}

/** Encodes an answer in the negotiated form. The status code may change, because some transformations are only refused here. */
export function encodeBody(want: Wanted, answer: ApiResponse, request: ApiRequest): EncodedBody {
  const { code, body, plainText } = answer;
  if (plainText === true || typeof body === 'string')
    return {
      code,
      type: answer.headers?.['content-type'] ?? 'text/plain; charset=utf-8',
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    };
  const read = request.method === 'GET';
  if (want.as === undefined) return { code, ...encodeValue(want.media, want.pretty, body, read) };
  const shown = code < 300 ? transformed(want, body, request, true) : answer;
  // An error response is never transformed, and is sent as JSON, which needs no negotiation.
  if ('code' in shown) return { code: shown.code, ...encodeValue('json', true, shown.body, false) };
  return { code, ...encodeValue(want.media, want.pretty, shown.value, read) };
}

function encodeValue(media: Media, pretty: boolean, body: JsonValue, read: boolean): Omit<EncodedBody, 'code'> {
  if (media === 'protobuf') {
    const payload = isMap(body) ? encodeProtobuf(body) : undefined;
    if (payload !== undefined) return { type: MEDIA_TYPES.protobuf, payload };
  }
  if (media === 'yaml') return { type: MEDIA_TYPES.yaml, payload: yamlText(listAsSent(body)) };
  const payload = pretty ? JSON.stringify(listAsSent(body), undefined, 2) : jsonLine(body, read);
  return { type: MEDIA_TYPES.json, payload };
}

function yamlText(body: JsonValue): string {
  return yaml().stringify(body, {
    version: '1.1',
    sortMapEntries: true,
    indentSeq: false,
    aliasDuplicateObjects: false,
  });
}

/** How one watch encodes its events. */
export interface EventEncoder {
  /** The Content-Type of the stream. */
  readonly type: string;
  encode(event: WatchEvent): string | Buffer;
}

/** Returns the encoder of one watch. It keeps track of what this watch has been sent. */
export function eventEncoder(want: Wanted, request: ApiRequest): EventEncoder {
  const { media } = want;
  const type = media === 'protobuf' ? `${MEDIA_TYPES.protobuf};stream=watch` : MEDIA_TYPES.json;
  if (want.as === undefined) return { type, encode: media === 'protobuf' ? protobufFrame : jsonFrame };
  let first = true;
  return {
    type,
    encode: (event) => {
      const shown = event.type === 'ERROR' ? undefined : transformed(want, event.object, request, first);
      first = false;
      const object = shown === undefined || 'code' in shown ? event.object : shown.value;
      if (media === 'protobuf') return encodeFrame(event.type, encodeProtobuf(object as JsonObject) ?? NOTHING);
      return `{"type":"${event.type}","object":${jsonText(object, false)}}\n`;
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** The latest frame of a form. The watches of one resource are notified one after the other, so they share its bytes. */
interface Latest {
  readonly object: object;
  readonly type: string;
  readonly frame: Buffer;
}

let latestJson: Latest | undefined;
let latestProtobuf: Latest | undefined;

function jsonFrame({ type, object }: WatchEvent): Buffer {
  if (latestJson !== undefined && latestJson.object === object && latestJson.type === type) return latestJson.frame;
  const frame = Buffer.from(`{"type":"${type}","object":${jsonText(object, false)}}\n`);
  latestJson = { object, type, frame };
  return frame;
}

function protobufFrame({ type, object }: WatchEvent): Buffer {
  if (latestProtobuf !== undefined && latestProtobuf.object === object && latestProtobuf.type === type)
    return latestProtobuf.frame;
  const frame = encodeFrame(type, encodeProtobuf(object) ?? NOTHING);
  latestProtobuf = { object, type, frame };
  return frame;
}
