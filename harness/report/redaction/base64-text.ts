/**
 * Finds base64 inside texts.
 *
 * Owns: which base64 characters of some bytes do not depend on the bytes around them; decoding a whole run of base64, and encoding it again
 * with the same alphabet and padding. Pure.
 */

/** Number of bytes before the given ones in the same group of three. */
export type Offset = 0 | 1 | 2;

const OFFSETS: readonly Offset[] = [0, 1, 2];
/** Index of the first character that contains no bits of preceding bytes. */
const FIRST: { readonly [offset in Offset]: number } = { 0: 0, 1: 2, 2: 3 };

/** Returns the base64 characters that do not depend on neighbouring bytes, without padding. */
export function stableBase64(bytes: Uint8Array, offset: Offset): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(FIRST[offset], Math.floor((8 * (offset + bytes.length)) / 6));
}

/** Returns the characters of {@link stableBase64} for each of the three offsets. */
export function stableSpellings(bytes: Uint8Array): readonly { readonly text: string; readonly offset: Offset }[] {
  return OFFSETS.map((offset) => ({ text: stableBase64(bytes, offset), offset }));
}

/** Returns the position, modulo 4, at which groups of four characters begin; it distinguishes overlapping runs of base64. */
export function groupPhase(at: number, offset: Offset): number {
  return (at - FIRST[offset] + 4) % 4;
}

/** Returns the end of the base64 characters around `at`. */
export function stretchEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBase64(text.charCodeAt(end))) end++;
  return end;
}

/** A run of base64 that contains UTF-8. */
export interface Base64Run {
  readonly start: number;
  readonly end: number;
  readonly decoded: string;
  /** Encodes in the same alphabet and padding as this run. */
  readonly encode: (content: string | Uint8Array) => string;
}

/**
 * Returns the run around stable characters that begin at `at`; undefined if it does not survive decoding and encoding again. If
 * the characters before these belong to something else (`/path/c2Vj…`), the run begins with the stable characters.
 */
export function base64RunAt(text: string, at: number, offset: Offset): Base64Run | undefined {
  let start = at;
  while (start > 0 && isBase64(text.charCodeAt(start - 1))) start--;
  start += (((at - FIRST[offset] - start) % 4) + 4) % 4;
  let end = stretchEnd(text, at);
  for (let padding = 0; padding < 2 && text[end] === '='; padding++) end++;
  return runIn(text, start, end) ?? (offset === 0 && start < at ? runIn(text, at, end) : undefined);
}

function runIn(text: string, start: number, end: number): Base64Run | undefined {
  const run = text.slice(start, end);
  const bytes = Buffer.from(run, 'base64');
  const urlSafe = /[-_]/.test(run);
  const padded = run.endsWith('=') || bytes.length % 3 === 0;
  const encode = (content: string | Uint8Array): string => {
    const encoded = Buffer.from(content as string).toString('base64');
    const spelled = urlSafe ? encoded.replaceAll('+', '-').replaceAll('/', '_') : encoded;
    return padded ? spelled : spelled.replace(/=+$/, '');
  };
  const decoded = bytes.toString('utf8');
  if (encode(bytes) !== run || !Buffer.from(decoded).equals(bytes)) return undefined;
  return { start, end, decoded, encode };
}

/** Reports whether a character belongs to one of the two alphabets. */
export function isBase64(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 43 ||
    code === 47 ||
    code === 45 ||
    code === 95
  );
}
