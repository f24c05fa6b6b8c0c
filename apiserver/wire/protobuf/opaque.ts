/**
 * Types that are messages in protobuf but not objects with the same fields in JSON: times, quantities, raw JSON, schemas that may be
 * booleans.
 *
 * Owns: the conversion between the message's fields and the JSON value, in both directions.
 */
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longInteger, longIntegerDigits } from '../go-json.ts';
import type { Message } from './descriptors.ts';
import { durationOf, durationText } from './duration.ts';
import { ProtobufError } from './reader.ts';

type Fields = { readonly [key: string]: JsonValue | undefined };

interface Opaque {
  /** Converts to JSON; undefined for values that are null in JSON. */
  toJson(fields: Fields): JsonValue | undefined;
  /** Converts from JSON; undefined for an empty message. */
  toFields(value: JsonValue): JsonObject | undefined;
}

const TIME: Opaque = {
  toJson: (fields) => timeText(fields, 0),
  toFields: (value) => (typeof value === 'string' ? secondsOf(value) : undefined),
};

const MICRO_TIME: Opaque = {
  toJson: (fields) => timeText(fields, 6),
  toFields: (value) => {
    if (typeof value !== 'string') return undefined;
    const fraction = /\.(\d{1,9})/.exec(value)?.[1] ?? '';
    // Digits beyond microseconds are not sent.
    return { ...secondsOf(value), nanos: Number(fraction.slice(0, 6).padEnd(6, '0')) * 1000 };
  },
};

const RAW: Opaque = {
  toJson: ({ raw }) => parsed(raw),
  toFields: (value) => ({ raw: base64(JSON.stringify(value)) }),
};

const OPAQUE: { readonly [message: string]: Opaque } = {
  'meta/v1.Time': TIME,
  'meta/v1.MicroTime': MICRO_TIME,
  'meta/v1.Duration': {
    toJson: ({ duration }) => durationText(Number(longIntegerDigits(duration) ?? duration ?? 0)),
    toFields: (value) => ({ duration: typeof value === 'string' ? durationOf(value) : 0 }),
  },
  'meta/v1.FieldsV1': {
    toJson: ({ Raw }) => parsed(Raw),
    toFields: (value) => ({ Raw: base64(JSON.stringify(value)) }),
  },
  'api/resource.Quantity': {
    toJson: (fields) => (fields['string'] === '' ? '0' : (fields['string'] ?? '0')),
    toFields: (value) => ({ string: typeof value === 'number' ? String(value) : value }),
  },
  'util/intstr.IntOrString': {
    toJson: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0)),
    toFields: (value) =>
      typeof value === 'string' ? { type: 1, intVal: 0, strVal: value } : { type: 0, intVal: value, strVal: '' },
  },
  'pkg/runtime.RawExtension': RAW,
  'apiextensions/v1.JSON': RAW,
  'apiextensions/v1.JSONSchemaPropsOrArray': {
    toJson: ({ schema, jSONSchemas }) => jSONSchemas ?? schema,
    toFields: (value) => (Array.isArray(value) ? { jSONSchemas: value } : { schema: value }),
  },
  'apiextensions/v1.JSONSchemaPropsOrBool': {
    toJson: ({ schema, allows }) => schema ?? allows === true,
    toFields: (value) => (typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }),
  },
  'apiextensions/v1.JSONSchemaPropsOrStringArray': {
    toJson: ({ schema, property }) => property ?? schema,
    toFields: (value) => (Array.isArray(value) ? { property: value } : { schema: value }),
  },
};

export function isOpaque(message: Message): boolean {
  return Object.hasOwn(OPAQUE, message.name);
}

/** Returns the JSON of an opaque message's fields. */
export function opaqueToJson(message: Message, fields: Fields): JsonValue | undefined {
  return OPAQUE[message.name]?.toJson(fields);
}

/** Returns the fields of an opaque message from its JSON; undefined for the empty message. */
export function opaqueToFields(message: Message, value: JsonValue): JsonObject | undefined {
  return OPAQUE[message.name]?.toFields(value);
}

/** The range of RFC 3339 timestamps, years 1 to 9999, in epoch seconds. */
const SECONDS = { min: -62_135_596_800, max: 253_402_300_799 } as const;

function timeText({ seconds, nanos }: Fields, digits: 0 | 6): string | undefined {
  // An empty message is the zero time, which is null in JSON.
  if (seconds === undefined && nanos === undefined) return undefined;
  const at = Number(longIntegerDigits(seconds) ?? seconds ?? 0);
  if (at < SECONDS.min || at > SECONDS.max) throw new ProtobufError('Time.MarshalJSON: year outside of range [0,9999]');
  const text = new Date(at * 1000).toISOString().slice(0, 19);
  if (digits === 0) return `${text}Z`;
  const micros = Math.floor(Number(nanos ?? 0) / 1000);
  return `${text}.${String(micros).padStart(6, '0')}Z`;
}

function secondsOf(text: string): JsonObject | undefined {
  const at = Math.floor(Date.parse(text) / 1000);
  if (Number.isNaN(at)) return undefined;
  return { seconds: Number.isSafeInteger(at) ? at : longInteger(String(at)), nanos: 0 };
}

function parsed(raw: JsonValue | undefined): JsonValue | undefined {
  if (typeof raw !== 'string' || raw === '') return undefined;
  try {
    return JSON.parse(Buffer.from(raw, 'base64').toString('utf8')) as JsonValue;
  } catch {
    throw new ProtobufError('error decoding from json: invalid raw JSON');
  }
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
