/**
 * Answers that the gate makes instead of the server, in the format that the actor accepts.
 *
 * Owns: the choice of JSON or protobuf by the Accept header, for whole answers and for watch events.
 */
import type { JsonObject, JsonValue } from 'stalemate-apiserver/objects/object';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';
import { encodeFrame, encodeProtobuf } from 'stalemate-apiserver/wire/protobuf/envelope';
import { PROTOBUF } from './decode.ts';
import type { AnswerHead } from './exchange.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface MadeAnswer {
  readonly head: AnswerHead;
  readonly body: Buffer;
}

/** Encodes an answer. */
export function madeAnswer({ code, headers = {}, body }: ApiResponse, accept: string | undefined): MadeAnswer {
  const message = prefersProtobuf(accept) ? protobufOf(body) : undefined;
  const text = typeof body === 'string' ? body : `${JSON.stringify(body)}\n`;
  const bytes = message ?? Buffer.from(text);
  const type = message === undefined ? (typeof body === 'string' ? 'text/plain' : 'application/json') : PROTOBUF;
  const list = ['cache-control', 'no-cache, private', 'content-type', type, 'content-length', String(bytes.length)];
  for (const [name, value] of Object.entries(headers)) list.push(name, value);
  return { head: { code, message: STATUS_CODES[code] ?? '', headers: list }, body: bytes };
}

/** Encodes an event for a stream of the given format. */
export function madeEvent({ type, object }: WatchEvent, protobuf: boolean): Buffer {
  if (!protobuf) return Buffer.from(`${JSON.stringify({ type, object })}\n`);
  return encodeFrame(type, encodeProtobuf(object) ?? Buffer.alloc(0));
}

function protobufOf(body: JsonValue | string): Buffer | undefined {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? encodeProtobuf(body as JsonObject)
    : undefined;
}

/** Reports whether the client prefers protobuf: real servers encode a `Status` in the first format that the client accepts. */
function prefersProtobuf(accept = ''): boolean {
  return accept.split(',', 1)[0]?.trim().toLowerCase().startsWith(PROTOBUF) ?? false;
}
