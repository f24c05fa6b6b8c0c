/**
 * The state of a decoder of built-in kinds: the current path, the problems found so far, and Go's error messages.
 *
 * Owns: paths and the two styles of type errors. Does not own: the decoders (`go-decode.ts`, `go-scalar-decoders.ts`).
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonValue } from '../../objects/object.ts';
import { goType } from '../definition.ts';
import { EMBEDDED } from './embedded-structs.ts';
import type { Emptied } from './emptied.ts';

/** The current path of a decoder, and the problems that it has found. */
export interface Decoding {
  /** Paths of dropped fields in document order; undefined when not needed. */
  readonly unknown: string[] | undefined;
  /** The first error, which is the one that Go reports. */
  error: string | undefined;
  /** Field names, map keys and list indices of the current value. */
  readonly path: (string | number)[];
  /** The Go struct that contains the current value. */
  struct: string;
  /** Values that were sent empty and are stored as null; undefined when there are none. */
  emptied: Emptied[] | undefined;
  /** The style of errors: that of the JSON decoder, or that of the converter from maps, which is used for strategic merge patches. */
  readonly words: 'json' | 'converter';
}

/** Starts decoding at the root of an object. */
export function decoding(unknown: string[] | undefined, words: Decoding['words'] = 'json'): Decoding {
  return { unknown, error: undefined, path: [], struct: '', emptied: undefined, words };
}

/** Converts a value to its canonical form. Never receives null or undefined. */
export interface Decoder {
  decode(value: JsonValue, at: Decoding): JsonValue;
  /** The encoding of an absent value of a field that is always written. */
  readonly zero: JsonValue;
  /** Reports whether `omitempty` omits the value. */
  isEmpty(value: JsonValue): boolean;
  /** True for types that are written even with `omitempty`: Go's structs, but not pointers to them. */
  readonly always: boolean;
}

/** Records a value of the wrong type, in Go's words. `wanted` is the converter's name of the type. */
export function mismatch(at: Decoding, value: JsonValue, printed: string, wanted: string): void {
  if (at.error !== undefined) return;
  if (at.words === 'converter') at.error = unconvertible(value, printed, wanted);
  else at.error = unmarshalError(at, found(value, wanted), printed);
}

/** Returns the JSON decoder's message for a value of the wrong type. */
export function unmarshalError(at: Decoding, found: string, printed: string): string {
  const path = at.path.filter((part) => typeof part === 'string' && !part.startsWith('\0')).join('.');
  const where = path === '' ? 'Go value' : `Go struct field ${at.struct}.${path.replaceAll(EMBEDDED, '')}`;
  return `json: cannot unmarshal ${found} into ${where} of type ${printed}`;
}

/** Returns the found type in the form that messages use; for a number that does not fit, with its value. */
function found(value: JsonValue, wanted: string): string {
  return typeof value === 'number' && /int/.test(wanted) ? `number ${value}` : goType(value);
}

function unconvertible(value: JsonValue, printed: string, wanted: string): string {
  const kind = goKind(value);
  if (wanted === 'struct') return `cannot restore struct from: ${kind}`;
  // Go can convert integers to strings and fractions to integers, but the converter refuses to, with a message of its own.
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

/** The maximum number of unknown fields to record. Go lists a hundred, but here metadata and duplicate keys are checked separately. */
const UNKNOWN_MAX = 1000;

/** Records an unknown field of the current struct. */
export function noteUnknown(at: Decoding, key: string): void {
  if (at.unknown !== undefined && at.unknown.length < UNKNOWN_MAX) at.unknown.push(pathText(at.path, key));
}

/** Returns the path of a field of the current value, in the form of unknown field errors. */
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
