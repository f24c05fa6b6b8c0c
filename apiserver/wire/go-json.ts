/**
 * JSON as Go parses it: errors of malformed text, duplicate keys, and integers beyond a double's precision.
 *
 * Owns: the errors of encoding/json's scanner and of sigs.k8s.io/json's strict mode. `JSON.parse` does the parsing; the code here only runs
 * to explain an error, to find duplicates or to keep digits. Start at {@link parseJson}.
 */
import type { JsonObject, JsonValue } from '../objects/object.ts';

/** A parsed text. `duplicates` are the strict errors for duplicate keys. */
export interface ParsedJson {
  readonly body: JsonValue;
  readonly duplicates?: readonly string[];
}

/** Go's limit on nesting, in levels. */
const DEPTH_MAX = 10_000;
/** Text that needs more than `JSON.parse`: integers beyond 2^53, lone surrogates. */
const UNUSUAL = /[0-9]{16}|\\u[dD][89a-fA-F]/;

/**
 * Parses like Go: 64-bit integers keep all digits (as `JSON.rawJSON`), duplicate keys are reported, and the last one wins.
 *
 * @throws {SyntaxError} with the message of Go's scanner.
 */
export function parseJson(text: string): ParsedJson {
  let body: JsonValue;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    throw new SyntaxError(syntaxError(text) ?? 'unexpected end of JSON input');
  }
  if (text.length > DEPTH_MAX && isNestedDeeper(text, DEPTH_MAX))
    throw new SyntaxError(syntaxError(text) ?? 'exceeded max depth');
  if (UNUSUAL.test(text)) body = parseUnusual(text);
  if (keysIn(text) === keysOf(body)) return { body };
  return { body, duplicates: duplicateKeys(text).map((path) => `duplicate field "${path}"`) };
}

const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n } as const;

/** The prefix of strings that stand for long integers. A JSON text can only contain it as an escape. */
const LONG = '\0';
const LONG_ESCAPED = String.raw`\u0000`;

/**
 * Parses a text, keeps digits that a double would round, and replaces lone surrogates. Long integers are parsed as strings and then
 * replaced: a reviver with source access would take tens of megabytes for a body of three megabytes.
 */
function parseUnusual(text: string): JsonValue {
  if (text.includes(LONG_ESCAPED)) return JSON.parse(text, exact as never) as JsonValue;
  return fixed(JSON.parse(withMarkedIntegers(text)) as JsonValue);
}

/** Returns the valid text with quotes around integers beyond a double's precision. */
function withMarkedIntegers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isNumeric(code)) {
      const start = at;
      while (isNumeric(text.charCodeAt(at + 1))) at++;
      const digits = text.slice(start, at + 1);
      if (!isLongInteger(digits)) continue;
      parts.push(text.slice(copied, start), '"', LONG_ESCAPED, digits, '"');
      copied = at + 1;
    }
  }
  return parts.join('') + text.slice(copied);
}

/** Reports whether a character is part of a number: a digit, sign, point or exponent. */
function isNumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46 || code === 101 || code === 69;
}

function isLongInteger(digits: string): boolean {
  if (digits.length < 16 || Number.isSafeInteger(Number(digits)) || !/^-?\d+$/.test(digits)) return false;
  const integer = BigInt(digits);
  return integer >= INT64.min && integer <= INT64.max;
}

function fixed(value: JsonValue): JsonValue {
  if (typeof value === 'string')
    return value.startsWith(LONG) ? (RAW.rawJSON(value.slice(LONG.length)) as JsonValue) : value.toWellFormed();
  if (value === null || typeof value !== 'object') return value;
  // The value was created by this function and is not shared yet, so it can be edited.
  const holder = value as { [key: string]: JsonValue };
  for (const key in holder) {
    const item = holder[key] as JsonValue;
    const other = fixed(item);
    if (other !== item) Object.defineProperty(holder, key, { value: other, ...PLAIN });
  }
  return value;
}

const PLAIN = { enumerable: true, writable: true, configurable: true } as const;

/** A reviver that keeps all digits; used for texts that contain the escaped prefix. */
function exact(_key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  const { source } = context;
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  if (!/^-?\d+$/.test(source)) return value;
  const integer = BigInt(source);
  return integer < INT64.min || integer > INT64.max ? value : RAW.rawJSON(source);
}

/** JSON with `rawJSON`, which Node supports but its types do not declare yet. */
const RAW = JSON as unknown as { rawJSON(text: string): object; isRawJSON(value: unknown): boolean };

/** Returns an integer beyond 2^53 in the form that {@link parseJson} returns. `JSON.stringify` writes all its digits. */
export function longInteger(digits: string): JsonValue {
  return RAW.rawJSON(digits) as JsonValue;
}

/** Returns the digits of an integer from {@link longInteger} or {@link parseJson}; undefined for any other value. */
export function longIntegerDigits(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  // Calls of built-in functions are slow, so `isRawJSON` is only called for objects with the property `rawJSON`.
  const { rawJSON } = value as { readonly rawJSON?: string };
  return rawJSON !== undefined && RAW.isRawJSON(value) ? rawJSON : undefined;
}

/** Returns the number of keys in a valid text: strings before a colon. */
function keysIn(text: string): number {
  const { length } = text;
  let keys = 0;
  for (let at = 0; at < length; at++) {
    if (text.charCodeAt(at) !== QUOTE) continue;
    at++;
    for (let code = text.charCodeAt(at); code !== QUOTE; code = text.charCodeAt(at)) at += code === BACKSLASH ? 2 : 1;
    while (isSpace(text.charCodeAt(at + 1))) at++;
    if (text.charCodeAt(at + 1) === COLON) keys++;
  }
  return keys;
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/** Returns the position of the quote that ends the string that starts at `open`. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close > 0 && text.charCodeAt(close - 1) === BACKSLASH) {
    let slashes = 1;
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) break;
    close = text.indexOf('"', close + 1);
  }
  return close < 0 ? text.length : close;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13 && code !== 11 && code !== 12);
}

function keysOf(body: JsonValue): number {
  if (body === null || typeof body !== 'object') return 0;
  let keys = 0;
  // Iterative, because texts with a few thousand levels are still parsed.
  const open: JsonValue[] = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (Array.isArray(value)) {
      for (const item of value as readonly JsonValue[]) if (item !== null && typeof item === 'object') open.push(item);
      continue;
    }
    if (RAW.isRawJSON(value)) continue;
    const map = value as JsonObject;
    for (const key in map) {
      keys++;
      const item = map[key];
      if (item !== null && typeof item === 'object') open.push(item);
    }
  }
  return keys;
}

/** Reports whether brackets nest deeper than `levels`; the text need not be valid. */
export function isNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === 123 || code === 91) {
      if (++depth > levels) return true;
    } else if (code === 125 || code === 93) depth--;
  }
  return false;
}

/** The limit on strict errors in Go. */
const DUPLICATES_MAX = 100;

/** Returns the paths of duplicate keys, for example `spec.containers[0].name`, each once, in document order. The text must be valid. */
function duplicateKeys(text: string): readonly string[] {
  const found = new Set<string>();
  // One frame for each open object or list: its path, its keys so far, the current key or index.
  const frames: { readonly path: string; readonly keys: Set<string> | undefined; key: string; index: number }[] = [];
  const here = (): string => {
    const frame = frames.at(-1);
    if (frame === undefined) return '';
    if (frame.keys === undefined) return `${frame.path}[${frame.index}]`;
    return frame.path === '' ? frame.key : `${frame.path}.${frame.key}`;
  };
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1);
    switch (text[at]) {
      case '"': {
        const close = endOfString(text, at);
        let after = close + 1;
        while (isSpace(text.charCodeAt(after))) after++;
        if (text.charCodeAt(after) === COLON && frame?.keys !== undefined) {
          frame.key = JSON.parse(text.slice(at, close + 1)) as string;
          if (frame.keys.has(frame.key) && found.size < DUPLICATES_MAX) found.add(here());
          frame.keys.add(frame.key);
        }
        at = close;
        break;
      }
      case '{':
        frames.push({ path: here(), keys: new Set(), key: '', index: 0 });
        break;
      case '[':
        frames.push({ path: here(), keys: undefined, key: '', index: 0 });
        break;
      case '}':
      case ']':
        frames.pop();
        break;
      case ',':
        if (frame !== undefined) frame.index++;
        break;
      default:
    }
  }
  return [...found];
}

/** Returns the scanner error of an invalid text; undefined when it is valid. */
export function syntaxError(text: string): string | undefined {
  // Go reads bytes: each byte of a multi-byte character is shown as the Latin-1 character with its value.
  const bytes = Buffer.from(text, 'utf8');
  const stack: ('{' | '[')[] = [];
  let at = 0;
  const char = (): string => (at < bytes.length ? String.fromCharCode(bytes[at] ?? 0) : '');
  /**
   * Returns an error. At the end of the text Go's scanner reads one more space: some states report it, other states report an unexpected
   * end.
   */
  const wrong = (where: string): string => `invalid character ${quoted(char() || ' ')} ${where}`;
  const skip = (): void => {
    while (at < bytes.length && isSpace(bytes[at] ?? 0)) at++;
  };
  const END = 'unexpected end of JSON input';

  for (;;) {
    // A value starts here.
    skip();
    const first = char();
    if (first === '') return END;
    if (first === '{' || first === '[') {
      if (stack.push(first) > DEPTH_MAX) return wrong('exceeded max depth');
      at++;
      skip();
      if (first === '{' && char() !== '}') {
        const key = keyError();
        if (key !== undefined) return key;
        continue;
      }
      if (first === '[' && char() !== ']') continue;
    } else {
      const scalar = scalarError(first);
      if (scalar !== undefined) return scalar;
    }
    // A value has ended, or the object or list that contains it.
    for (;;) {
      skip();
      const next = char();
      const top = stack.at(-1);
      if (top === undefined) return next === '' ? undefined : wrong('after top-level value');
      if (next === '') return END;
      if (next === (top === '{' ? '}' : ']')) {
        stack.pop();
        at++;
        continue;
      }
      if (next !== ',') return wrong(top === '{' ? 'after object key:value pair' : 'after array element');
      at++;
      if (top === '[') break;
      skip();
      const key = keyError();
      if (key !== undefined) return key;
      break;
    }
  }

  function keyError(): string | undefined {
    if (char() === '') return END;
    if (char() !== '"') return wrong('looking for beginning of object key string');
    const inside = stringError();
    if (inside !== undefined) return inside;
    skip();
    if (char() === '') return END;
    if (char() !== ':') return wrong('after object key');
    at++;
    return undefined;
  }

  function scalarError(first: string): string | undefined {
    if (first === '"') return stringError();
    if (first === 't') return literalError('true');
    if (first === 'f') return literalError('false');
    if (first === 'n') return literalError('null');
    if (first === '-' || isDigit(first)) return numberError();
    return wrong('looking for beginning of value');
  }

  function literalError(literal: string): string | undefined {
    for (const expected of literal) {
      if (char() !== expected) return wrong(`in literal ${literal} (expecting ${quoted(expected)})`);
      at++;
    }
    return undefined;
  }

  function numberError(): string | undefined {
    if (char() === '-') at++;
    if (!isDigit(char())) return wrong('in numeric literal');
    if (char() === '0') at++;
    else while (isDigit(char())) at++;
    if (char() === '.') {
      at++;
      if (!isDigit(char())) return wrong('after decimal point in numeric literal');
      while (isDigit(char())) at++;
    }
    if (char() !== 'e' && char() !== 'E') return undefined;
    at++;
    if (char() === '+' || char() === '-') at++;
    if (!isDigit(char())) return wrong('in exponent of numeric literal');
    while (isDigit(char())) at++;
    return undefined;
  }

  function stringError(): string | undefined {
    for (at++; char() !== '"'; at++) {
      if (char() === '') return END;
      if (char() < ' ') return wrong('in string literal');
      if (char() !== '\\') continue;
      at++;
      if (char() === 'u') {
        for (let digit = 0; digit < 4; digit++) {
          at++;
          if (!/^[0-9a-fA-F]$/.test(char())) return wrong('in \\u hexadecimal character escape');
        }
      } else if (!'"\\/bfnrt'.includes(char()) || char() === '') return wrong('in string escape code');
    }
    at++;
    return undefined;
  }
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9' && char.length === 1;
}

const ESCAPES: { readonly [char: string]: string } = {
  "'": "\\'",
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** Returns one character as Go quotes it. */
function quoted(char: string): string {
  const code = char.charCodeAt(0);
  const hex = code.toString(16);
  let shown = ESCAPES[char];
  if (shown === undefined && (code < 32 || code === 127)) shown = `\\x${hex.padStart(2, '0')}`;
  if (shown === undefined && ((code > 127 && code < 161) || code === 173)) shown = `\\u${hex.padStart(4, '0')}`;
  return `'${shown ?? char}'`;
}
