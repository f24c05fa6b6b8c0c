/**
 * Encodes JSON of built-in kinds as protobuf, byte for byte as Go does: fields are ordered by number, map keys are sorted, and fields that
 * are not pointers are always present.
 *
 * Start at {@link writeFields}.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longIntegerDigits } from '../go-json.ts';
import { messageNamed, type Field, type Message } from './descriptors.ts';
import { isOpaque, opaqueToFields } from './opaque.ts';
import type { Writer } from './writer.ts';

/** Writes the fields of a message into `writer`, the last one first. Values of the wrong type are skipped. */
export function writeFields(writer: Writer, value: JsonObject, message: Message): void {
  for (let index = message.fields.length - 1; index >= 0; index--) {
    const field = message.fields[index];
    if (field !== undefined) writeField(writer, field, field.inline ? value : value[field.name]);
  }
}

function writeField(writer: Writer, field: Field, value: JsonValue | undefined): void {
  if (field.map) {
    if (isMap(value))
      for (const key of Object.keys(value).toSorted().toReversed()) writeEntry(writer, field, key, value[key]);
    return;
  }
  if (field.repeated) {
    if (!Array.isArray(value)) return;
    for (let index = value.length - 1; index >= 0; index--)
      writeTagged(writer, field, field.id, (value as readonly JsonValue[])[index]);
    return;
  }
  if (field.pointer && (value === undefined || value === null)) return;
  // Nil byte slices are not written, and list items cannot be absent.
  if (value === undefined && (field.scalar === 'bytes' || isBareList(field))) return;
  writeTagged(writer, field, field.id, value);
}

function isBareList(field: Field): boolean {
  return field.scalar === undefined && messageNamed(field.message)?.bareList === true;
}

function writeEntry(writer: Writer, field: Field, key: string, value: JsonValue | undefined): void {
  const before = writer.length;
  writeTagged(writer, field, 2, value);
  writer.string(key);
  writer.tag(1, 2);
  writer.varint(writer.length - before);
  writer.tag(field.id, 2);
}

function writeTagged(writer: Writer, field: Field, id: number, value: JsonValue | undefined): void {
  switch (field.scalar) {
    case 'string':
      writer.string(typeof value === 'string' ? value : '');
      writer.tag(id, 2);
      return;
    case 'bytes':
      writer.bytes(Buffer.from(typeof value === 'string' ? value : '', 'base64'));
      writer.tag(id, 2);
      return;
    case 'bool':
      writer.varint(value === true ? 1 : 0);
      writer.tag(id, 0);
      return;
    case 'double':
      writer.double(typeof value === 'number' ? value : 0);
      writer.tag(id, 1);
      return;
    case 'int32':
    case 'int64':
    case 'uint32':
      writer.long(integer(value));
      writer.tag(id, 0);
      return;
    case undefined: {
      const before = writer.length;
      const message = messageNamed(field.message);
      if (message !== undefined) writeMessage(writer, message, value);
      writer.varint(writer.length - before);
      writer.tag(id, 2);
    }
  }
}

function writeMessage(writer: Writer, message: Message, value: JsonValue | undefined): void {
  if (message.bareList) writeFields(writer, { items: value }, message);
  else if (isOpaque(message)) {
    const fields = value === undefined || value === null ? EMPTY[message.name] : opaqueToFields(message, value);
    if (fields !== undefined) writeFields(writer, fields, message);
  } else writeFields(writer, isMap(value) ? value : {}, message);
}

/** Go's encoding of the zero values of types with custom JSON; for types without an entry it is empty. */
const EMPTY: { readonly [message: string]: JsonObject } = {
  'api/resource.Quantity': { string: '0' },
  'util/intstr.IntOrString': {},
  'apiextensions/v1.JSONSchemaPropsOrBool': {},
};

function integer(value: JsonValue | undefined): number | bigint {
  const digits = longIntegerDigits(value);
  if (digits !== undefined) return BigInt(digits);
  return typeof value === 'number' && Number.isInteger(value) ? value : 0;
}
