/**
 * Where a decoder of built-in kinds is, what it has found, and how Go words what is wrong there.
 *
 * Owns: paths and the two vocabularies of type errors. Does not own: the decoders (`go-decode.ts`, `go-scalar-decoders.ts`).
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import { goType } from '../definition.ts';
import { EMBEDDED } from './embedded-structs.ts';
import type { Emptied } from './emptied.ts';

/** Where a decoder is and what it found. */
export interface Decoding {
  /** Paths of dropped fields, in the order of the document; undefined when nobody asks. */
  readonly unknown: string[] | undefined;
  /** The first error, which is the one that Go reports. */
  error: string | undefined;
  /** Names of fields, keys of maps and indices of lists down to the value at hand. */
  readonly path: (string | number)[];
  /** The struct around the value at hand. */
  struct: string;
  /** What was sent empty and is written as null. */
  emptied: Emptied[] | undefined;
  /** Whose words errors are in: the JSON decoder's, or those of the converter of maps that strategic merge patches go through. */
  readonly words: 'json' | 'converter';
}

/** A decoding that starts at the top of an object. */
export function decoding(unknown: string[] | undefined, words: Decoding['words'] = 'json'): Decoding {
  return { unknown, error: undefined, path: [], struct: '', emptied: undefined, words };
}

/** Turns a value into its canonical form. Never sees null or undefined. */
export interface Decoder {
  decode(value: JsonValue, at: Decoding): JsonValue;
  /** What an absent value is written as where it is written at all. */
  readonly zero: JsonValue;
  /** Whether `omitempty` leaves the value out. */
  isEmpty(value: JsonValue): boolean;
  /** A value (not a pointer) whose absence is written all the same, `omitempty` or not: Go's structs. */
  readonly always: boolean;
}

/** Notes a value of the wrong type, in Go's words. `wanted` is what the converter calls the type. */
export function mismatch(at: Decoding, value: JsonValue, printed: string, wanted: string): void {
  if (at.error !== undefined) return;
  if (at.words === 'converter') at.error = unconvertible(value, printed, wanted);
  else at.error = unmarshalError(at, found(value, wanted), printed);
}

/** The JSON decoder's words. */
export function unmarshalError(at: Decoding, found: string, printed: string): string {
  const path = at.path.filter((part) => typeof part === 'string' && !part.startsWith('\0')).join('.');
  const where = path === '' ? 'Go value' : `Go struct field ${at.struct}.${path.replaceAll(EMBEDDED, '')}`;
  return `json: cannot unmarshal ${found} into ${where} of type ${printed}`;
}

/** Numbers are named with their value where they do not fit. */
function found(value: JsonValue, wanted: string): string {
  return typeof value === 'number' && /int/.test(wanted) ? `number ${value}` : goType(value);
}

function unconvertible(value: JsonValue, printed: string, wanted: string): string {
  const kind = goKind(value);
  if (wanted === 'struct') return `cannot restore struct from: ${kind}`;
  // Go converts integers to strings and fractions to integers; the converter does not, and says so in other words.
  const convertible = (kind === 'int64' && wanted === 'string') || (kind === 'float64' && /int/.test(wanted));
  if (convertible) return `cannot convert ${kind} to ${printed}`;
  return wanted === 'map' || wanted === 'slice'
    ? `cannot restore ${wanted} from ${kind}`
    : `unrecognized type: ${wanted}`;
}

function goKind(value: JsonValue): string {
  if (isList(value)) return 'slice';
  if (isMap(value)) return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** Go's decoder ends its list after a hundred; here metadata is decoded apart, and repeated keys are looked for in it. */
const UNKNOWN_MAX = 1000;

/** Notes a field that the struct at hand does not have. */
export function noteUnknown(at: Decoding, key: string): void {
  if (at.unknown !== undefined && at.unknown.length < UNKNOWN_MAX) at.unknown.push(pathText(at.path, key));
}

/** The path of a field below the value at hand, as unknown fields are named. */
function pathText(path: readonly (string | number)[], last: string): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (!part.startsWith(EMBEDDED)) {
      const name = part.startsWith('\0') ? part.slice(1) : part;
      text += text === '' ? name : `.${name}`;
    }
  }
  return text === '' ? last : `${text}.${last}`;
}
