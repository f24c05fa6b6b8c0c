/**
 * Decodes protobuf messages of built-in kinds to the JSON that Go would write.
 *
 * Owns: presence (zero values that JSON omits), maps, inlined messages, and types with custom JSON. Repeated occurrences of a message are
 * merged, as protobuf requires. Start at {@link decodeMessage}.
 */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { messageNamed, type Field, type Message } from './descriptors.ts';
import { ProtobufError, Reader } from './reader.ts';
import { isOpaque, opaqueToJson } from './opaque.ts';

type Target = { [key: string]: JsonValue | undefined };

/**
 * Reads one message.
 *
 * @throws {ProtobufError} with Go's error message.
 */
export function decodeMessage(bytes: Buffer, message: Message): JsonObject {
  const target: Target = {};
  readInto(new Reader(bytes), message, target);
  return target;
}

const WIRE_TYPES = { string: 2, bytes: 2, bool: 0, int32: 0, int64: 0, uint32: 0, double: 1 } as const;

function readInto(reader: Reader, message: Message, target: Target): void {
  while (reader.at < reader.end) {
    const tag = reader.varint();
    // Go keeps only 32 bits of the field number.
    const id = Math.floor(tag / 8) | 0;
    const wireType = tag % 8;
    if (wireType === 4) throw new ProtobufError(`proto: ${structName(message)}: wiretype end group for non-group`);
    if (id <= 0) throw new ProtobufError(`proto: ${structName(message)}: illegal tag ${id} (wire type ${String(tag)})`);
    const field = id < message.byId.length ? message.byId[id] : undefined;
    if (field === undefined) {
      reader.skip(wireType);
      continue;
    }
    const expected = field.map || field.scalar === undefined ? 2 : WIRE_TYPES[field.scalar];
    if (wireType !== expected) throw new ProtobufError(`proto: wrong wireType = ${wireType} for field ${field.goName}`);
    readField(reader, field, target);
  }
}

function structName(message: Message): string {
  return message.name.slice(message.name.lastIndexOf('.') + 1);
}

function readField(reader: Reader, field: Field, target: Target): void {
  const { name } = field;
  if (field.map) {
    const map = (target[name] ??= {}) as Target;
    readEntry(reader, field, map);
    return;
  }
  if (field.repeated) {
    const list = (target[name] ??= []) as JsonValue[];
    list.push(readValue(reader, field, undefined) ?? null);
    return;
  }
  if (field.inline) {
    within(reader, () => readInto(reader, needed(field), target));
    return;
  }
  const value = readValue(reader, field, target[name]);
  const omitted = value === undefined || (field.omitEmpty && !field.pointer && isZero(value));
  if (!omitted) target[name] = value;
  else delete target[name];
}

/** Reports whether Go omits a value as zero: only strings, numbers and booleans, never structs. */
function isZero(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function readEntry(reader: Reader, field: Field, map: Target): void {
  let key = '';
  let value: JsonValue | undefined;
  within(reader, () => {
    while (reader.at < reader.end) {
      const tag = reader.varint();
      const id = Math.floor(tag / 8);
      if (id === 1 && tag % 8 === 2) key = reader.string();
      else if (id === 2) value = readValue(reader, field, undefined);
      else reader.skip(tag % 8);
    }
  });
  value ??= field.scalar === undefined ? {} : ZEROS[field.scalar];
  Object.defineProperty(map, key, { value, enumerable: true, writable: true, configurable: true });
}

const ZEROS = { string: '', bytes: '', bool: false, int32: 0, int64: 0, uint32: 0, double: 0 } as const;

function readValue(reader: Reader, field: Field, old: JsonValue | undefined): JsonValue | undefined {
  return field.scalar === undefined ? readMessage(reader, needed(field), old) : reader[field.scalar]();
}

function readMessage(reader: Reader, message: Message, old: JsonValue | undefined): JsonValue | undefined {
  const target: Target = typeof old === 'object' && !isOpaque(message) ? ((old ?? {}) as Target) : {};
  within(reader, () => readInto(reader, message, target));
  if (message.bareList) return target['items'] ?? [];
  return isOpaque(message) ? opaqueToJson(message, target) : target;
}

/** The maximum number of messages in a body: an empty message takes two bytes of the body, and a hundred bytes of memory. */
const MESSAGES_MAX = 250_000;

/** Runs `read` on the length-delimited block at the current position. */
function within(reader: Reader, read: () => void): void {
  if (++reader.messages > MESSAGES_MAX) throw new ProtobufError(`proto: more than ${MESSAGES_MAX} messages`);
  const outer = reader.end;
  reader.end = reader.block();
  read();
  reader.end = outer;
}

function needed(field: Field): Message {
  const message = messageNamed(field.message);
  if (message === undefined) throw new ProtobufError(`proto: unknown message ${field.message}`);
  return message;
}
