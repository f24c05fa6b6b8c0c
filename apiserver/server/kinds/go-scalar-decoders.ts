/** Decoders of scalar Go types: strings, booleans, numbers, bytes, and types with custom JSON. */
import type { JsonValue } from '../../objects/object.ts';
import { longIntegerDigits } from '../../wire/go-json.ts';
import { decoding, mismatch, unmarshalError, type Decoder, type Decoding } from './go-decoding.ts';
import { OPAQUE, type Opaque } from './go-scalars.ts';

/** Returns the decoder of a scalar type. `printed`: the type's name in messages. */
export function scalarDecoder(name: string, printed: string): Decoder {
  const opaque = OPAQUE[name];
  if (opaque !== undefined) return opaqueDecoder(opaque);
  if (name === 'string') return simple('string', '', printed, name);
  if (name === 'bool') return simple('boolean', false, printed, name);
  if (name === 'bytes') return bytes(printed);
  const range = INTEGERS[name];
  if (range !== undefined) return integer(range, printed, name);
  return simple('number', 0, printed, name);
}

function simple(type: string, zero: JsonValue, printed: string, name: string): Decoder {
  return {
    decode: (value, at) => {
      if (typeof value !== type) mismatch(at, value, printed, name);
      return value;
    },
    zero,
    isEmpty: (value) => value === zero,
    always: false,
  };
}

const INTEGERS: { readonly [name: string]: readonly [number, number] } = {
  int: [-(2 ** 63), 2 ** 63],
  int8: [-(2 ** 7), 2 ** 7 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint: [0, 2 ** 64],
  uint8: [0, 2 ** 8 - 1],
  uint16: [0, 2 ** 16 - 1],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};

function integer([low, high]: readonly [number, number], printed: string, name: string): Decoder {
  return {
    decode: (value, at) => {
      if (typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high) return value;
      // Numbers beyond the precision of a double are rounded to doubles: no field of these kinds needs more.
      const digits = longIntegerDigits(value);
      if (digits !== undefined && Number(digits) >= low && Number(digits) <= high) return Number(digits);
      mismatch(at, value, printed, name);
      return value;
    },
    zero: 0,
    isEmpty: (value) => value === 0,
    always: false,
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytes(printed: string): Decoder {
  return {
    decode: (value, at) => {
      if (typeof value !== 'string') mismatch(at, value, printed, 'slice');
      else if (!BASE64.test(value)) return looseBase64(value, at);
      return value;
    },
    zero: '',
    isEmpty: (value) => value === '',
    always: false,
  };
}

/** Decodes base64 and skips line breaks; other invalid characters are refused with their position. */
function looseBase64(value: string, at: Decoding): JsonValue {
  const joined = value.replaceAll(/[\r\n]/g, '');
  if (BASE64.test(joined)) return joined;
  const wrong =
    /[^A-Za-z0-9+/\r\n]/.exec(value)?.index ?? value.length - (joined.length % 4 === 0 ? 0 : joined.length % 4);
  at.error ??= `${at.words === 'converter' ? 'error decoding from json: ' : ''}illegal base64 data at input byte ${wrong}`;
  return value;
}

function opaqueDecoder({ decode, zero }: Opaque): Decoder {
  return {
    decode: (value, at) => {
      const decoded = decode(value);
      if ('mismatch' in decoded) {
        const [what, printed] = decoded.mismatch;
        at.error ??= unmarshalError(at.words === 'json' ? at : decoding(undefined), what, printed);
        return value;
      }
      if ('refused' in decoded) {
        at.error ??= decoded.refused;
        return value;
      }
      return decoded.value;
    },
    zero,
    isEmpty: () => false,
    always: true,
  };
}
