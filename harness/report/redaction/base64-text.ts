/**
 * Base64 inside texts.
 *
 * Owns: the characters that bytes have in base64 whatever comes before and after them, and whole runs of base64, decoded and encoded again
 * in the same manner. Pure.
 */

/** How many bytes of a group of three come before. */
export type Offset = 0 | 1 | 2;

const OFFSETS: readonly Offset[] = [0, 1, 2];
/** The first character of a group that holds nothing of the bytes before. */
const FIRST: { readonly [offset in Offset]: number } = { 0: 0, 1: 2, 2: 3 };

/** The characters that do not depend on neighbours. Without padding. */
export function stableBase64(bytes: Uint8Array, offset: Offset): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(FIRST[offset], Math.floor((8 * (offset + bytes.length)) / 6));
}

/** These characters for each of the three offsets. */
export function stableSpellings(bytes: Uint8Array): readonly { readonly text: string; readonly offset: Offset }[] {
  return OFFSETS.map((offset) => ({ text: stableBase64(bytes, offset), offset }));
}

/** Where groups of four begin, by which overlapping stretches are distinguished. */
export function groupPhase(at: number, offset: Offset): number {
  return (at - FIRST[offset] + 4) % 4;
}

/** Where the letters of base64 end that `at` is among. */
export function stretchEnd(text: string, at: number): number {
  let end = at;
  while (end < text.length && isBase64(text.charCodeAt(end))) end++;
  return end;
}

/** A stretch of base64 that holds UTF-8. */
export interface Base64Run {
  readonly start: number;
  readonly end: number;
  readonly decoded: string;
  /** Encodes in the same alphabet, padded as this one is. */
  readonly encode: (content: string | Uint8Array) => string;
}

/**
 * The run around stable characters that begin at `at`; undefined where what is there cannot be decoded and encoded again to the same text.
 * Where the characters before belong to something else (`/path/c2Vj…`), the run begins with the stable characters.
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

/** Whether a character is one of either alphabet. */
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
