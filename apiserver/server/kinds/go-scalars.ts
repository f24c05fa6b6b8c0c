/**
 * Go types with custom JSON: times, durations, quantities, int-or-string, raw values.
 *
 * Owns: their canonical form and their errors (k8s.io/apimachinery `apis/meta/v1`, `api/resource`, `util/intstr`).
 */
import type { JsonValue } from '../../objects/object.ts';
import { goType } from '../definition.ts';
import { canonicalQuantity, isQuantity } from './quantity.ts';
import { goTimeProblem, MICRO_LAYOUT, TIME_LAYOUT } from './go-time.ts';

/** The canonical value, or an error. */
export type Decoded =
  | { readonly value: JsonValue }
  | { readonly refused: string }
  /** The found type and the expected Go type. */
  | { readonly mismatch: readonly [string, string] };

export interface Opaque {
  readonly decode: (value: JsonValue) => Decoded;
  readonly zero: JsonValue;
}

const PLAIN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
const PLAIN_MICRO = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;

function time(layout: string, plain: RegExp, micro: boolean): Opaque {
  return {
    decode: (value) => {
      if (typeof value !== 'string') return { mismatch: [goType(value), 'string'] };
      if (plain.test(value)) return { value };
      const problem = goTimeProblem(value, layout);
      return problem === undefined ? { value: inUtc(value, micro) } : { refused: problem };
    },
    zero: null,
  };
}

/** Returns the same time in UTC, with whole seconds; with six fractional digits if `micro`. */
function inUtc(text: string, micro: boolean): string {
  const [, local = '', fraction = '', zone = 'Z'] = /^(.{19})(?:[.,](\d+))?(.*)$/.exec(text) ?? [];
  const offset =
    zone === 'Z' ? 0 : Number(`${zone[0] ?? '+'}1`) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  const moment = new Date(Date.parse(`${local}Z`) - offset * 60_000).toISOString().slice(0, 19);
  return micro ? `${moment}.${fraction.padEnd(6, '0').slice(0, 6)}Z` : `${moment}Z`;
}

function anything(zero: JsonValue): Opaque {
  return { decode: (value) => ({ value }), zero };
}

const QUANTITY_PROBLEM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const DURATION = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*$/;

export const OPAQUE: { readonly [name: string]: Opaque } = {
  Time: time(TIME_LAYOUT, PLAIN_TIME, false),
  MicroTime: time(MICRO_LAYOUT, PLAIN_MICRO, true),
  Quantity: {
    decode: (value) => (isQuantity(value) ? { value: canonicalQuantity(value) } : { refused: QUANTITY_PROBLEM }),
    zero: '0',
  },
  IntOrString: {
    decode: (value) => {
      if (typeof value === 'string') return { value };
      if (typeof value !== 'number') return { mismatch: [goType(value), 'int32'] };
      return Number.isInteger(value) && Math.abs(value) < 2 ** 31
        ? { value }
        : { mismatch: [`number ${value}`, 'int32'] };
    },
    zero: 0,
  },
  Duration: {
    decode: (value) => {
      if (typeof value !== 'string') return { mismatch: [goType(value), 'string'] };
      return value === '0' || DURATION.test(value)
        ? { value }
        : { refused: `time: invalid duration ${JSON.stringify(value)}` };
    },
    zero: '0s',
  },
  RawExtension: anything(null),
  FieldsV1: anything(null),
  JSON: anything(null),
  JSONSchemaPropsOrArray: anything(null),
  JSONSchemaPropsOrBool: anything(null),
  JSONSchemaPropsOrStringArray: anything(null),
  interface: anything(null),
};
