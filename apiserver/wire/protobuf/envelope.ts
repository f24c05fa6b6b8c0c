/**
 * Protobuf bodies as sent to clients: four magic bytes, then `runtime.Unknown` with the type and the message; and frames of a watch.
 *
 * Owns: the envelope in both directions. Start at {@link decodeProtobuf} and {@link encodeProtobuf}.
 */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { decodeMessage } from './decode.ts';
import { messageNamed, messageOfKind } from './descriptors.ts';
import { writeFields } from './encode.ts';
import { ProtobufError, Reader } from './reader.ts';
import { Writer } from './writer.ts';

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** A decoded body; or an error, with the type information that was read before it. */
export type DecodedProtobuf =
  | { readonly body: JsonObject }
  | { readonly error: string; readonly as?: { readonly apiVersion: string; readonly kind: string } };

interface Unknown {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

/**
 * Decodes a body. If the envelope contains no type, the message is decoded as `assumed`, the kind of the request's resource, as in
 * kube-apiserver.
 */
export function decodeProtobuf(
  bytes: Buffer,
  assumed?: { readonly apiVersion: string; readonly kind: string },
): DecodedProtobuf {
  if (bytes.length < MAGIC.length || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    return {
      error: `provided data does not appear to be a protobuf message, expected prefix [${MAGIC.join(' ')}]`,
    };
  if (bytes.length === MAGIC.length) return { error: 'empty body' };
  let as: { readonly apiVersion: string; readonly kind: string } | undefined;
  try {
    const unknown = readUnknown(bytes);
    const { apiVersion = '', kind = '' } = assumed ?? {};
    as = { apiVersion: unknown.apiVersion || apiVersion, kind: unknown.kind || kind };
    const message = messageOfKind(as.apiVersion, as.kind);
    if (message === undefined)
      return {
        error: `no kind ${JSON.stringify(as.kind)} is registered for version ${JSON.stringify(as.apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
        as,
      };
    return { body: { kind: as.kind, apiVersion: as.apiVersion, ...decodeMessage(unknown.raw, message) } };
  } catch (error) {
    // Very deep nesting overflows the stack; no real client sends it.
    const why = error instanceof ProtobufError ? error.message : 'proto: message nested too deeply';
    return as === undefined ? { error: why } : { error: why, as };
  }
}

/** Reads a `runtime.Unknown`, whose raw bytes are not copied. */
function readUnknown(bytes: Buffer): Unknown {
  const reader = new Reader(bytes, MAGIC.length);
  let apiVersion: JsonValue = '';
  let kind: JsonValue = '';
  let raw: Buffer = Buffer.alloc(0);
  while (reader.at < reader.end) {
    const tag = reader.varint();
    const id = Math.floor(tag / 8);
    if (tag % 8 === 4) throw new ProtobufError('proto: Unknown: wiretype end group for non-group');
    if (id === 0) throw new ProtobufError(`proto: Unknown: illegal tag 0 (wire type ${tag})`);
    const name = UNKNOWN_FIELDS[id];
    if (name === undefined) {
      reader.skip(tag % 8);
      continue;
    }
    if (tag % 8 !== 2) throw new ProtobufError(`proto: wrong wireType = ${tag % 8} for field ${name}`);
    const end = reader.block();
    if (id === 1) {
      const type = messageNamed('pkg/runtime.TypeMeta');
      const meta = type === undefined ? {} : decodeMessage(bytes.subarray(reader.at, end), type);
      ({ apiVersion = '', kind = '' } = meta);
    } else if (id === 2) raw = bytes.subarray(reader.at, end);
    reader.at = end;
  }
  return { apiVersion: textOf(apiVersion), kind: textOf(kind), raw };
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : '';
}

const UNKNOWN_FIELDS = [undefined, 'TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'] as const;

/** Returns the bytes of an object, list or Status; undefined for kinds without descriptors. */
export function encodeProtobuf(body: JsonObject): Buffer | undefined {
  const { apiVersion = '', kind } = body;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) return undefined;
  const writer = new Writer();
  // Written back to front: content type, encoding, message, type.
  writer.string('');
  writer.tag(4, 2);
  writer.string('');
  writer.tag(3, 2);
  const end = writer.length;
  writeFields(writer, body, message);
  writer.varint(writer.length - end);
  writer.tag(2, 2);
  const start = writer.length;
  writer.string(kind);
  writer.tag(2, 2);
  writer.string(apiVersion);
  writer.tag(1, 2);
  writer.varint(writer.length - start);
  writer.tag(1, 2);
  writer.raw(MAGIC);
  return writer.finish();
}

/** Encodes one event of a watch: its length in four bytes, then a bare `WatchEvent` that contains the object in its envelope. */
export function encodeFrame(type: string, object: Buffer): Buffer {
  const writer = new Writer(object.length + 64);
  writer.bytes(object);
  writer.tag(1, 2);
  writer.varint(writer.length);
  writer.tag(2, 2);
  writer.string(type);
  writer.tag(1, 2);
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(writer.length);
  writer.raw(length);
  return writer.finish();
}

/**
 * Splits the result of {@link encodeFrame} into the type of the event, and its object in its envelope.
 *
 * @throws {ProtobufError} with Go's error message.
 */
export function decodeFrame(frame: Buffer): { readonly type: string; readonly object: Buffer } {
  const reader = new Reader(frame, LENGTH_BYTES);
  let type = '';
  let object = NOTHING;
  while (reader.at < reader.end) {
    const tag = reader.varint();
    if (tag === 0x0a) type = reader.string();
    else if (tag === 0x12) object = rawExtension(frame, reader);
    else reader.skip(tag % 8);
  }
  return { type, object };
}

function rawExtension(frame: Buffer, reader: Reader): Buffer {
  const end = reader.block();
  let object = NOTHING;
  while (reader.at < end) {
    const tag = reader.varint();
    if (tag !== 0x0a) {
      reader.skip(tag % 8);
      continue;
    }
    const last = reader.block();
    object = frame.subarray(reader.at, last);
    reader.at = last;
  }
  return object;
}

const LENGTH_BYTES = 4;
const NOTHING: Buffer = Buffer.alloc(0);
