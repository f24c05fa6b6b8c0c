/**
 * Decodes bodies to JSON: a copy for naming items and for the history. The bytes that are forwarded stay unchanged.
 *
 * Owns: the choice of the decoder for a body. A body that no decoder can read has no copy and is forwarded anyway.
 */
import { parse as parseYaml } from 'yaml';
import type { JsonValue } from 'stalemate-apiserver/objects/object';
import { decodeProtobuf } from 'stalemate-apiserver/wire/protobuf/envelope';
import type { RawHeaders } from './exchange.ts';
import { headerOf } from './exchange.ts';

const zlib = process.getBuiltinModule('node:zlib');

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Returns `application/json` for `application/json;stream=watch`. */
export function mediaType(headers: RawHeaders): string {
  const value = headerOf(headers, 'content-type') ?? '';
  const end = value.indexOf(';');
  return (end < 0 ? value : value.slice(0, end)).trim().toLowerCase();
}

/** Decodes a body; undefined if it is empty or cannot be read. Text stays text. */
export function decoded(pieces: readonly Buffer[], headers: RawHeaders): JsonValue | undefined {
  if (pieces.length === 0) return undefined;
  try {
    const bytes = plain(pieces, headers);
    if (bytes.length === 0) return undefined;
    const type = mediaType(headers);
    if (type === PROTOBUF) {
      const message = decodeProtobuf(bytes);
      return 'body' in message ? message.body : undefined;
    }
    const text = bytes.toString('utf8');
    if (type === '' || type.endsWith('json')) return JSON.parse(text) as JsonValue;
    if (type.endsWith('yaml')) return parseYaml(text, { logLevel: 'silent' }) as JsonValue;
    return text;
  } catch {
    return undefined;
  }
}

function plain(pieces: readonly Buffer[], headers: RawHeaders): Buffer {
  const [first] = pieces;
  const bytes = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces);
  return headerOf(headers, 'content-encoding') === 'gzip' ? zlib.gunzipSync(bytes) : bytes;
}
