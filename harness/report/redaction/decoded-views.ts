/**
 * Decodes the escapes in a text, and maps each decoded character back to its place in the original.
 *
 * Encoders differ in what they escape and how often, so the search looks for the plain secret in the decoded text, instead of
 * each of its possible spellings. Pure. Start at {@link decodedViews}.
 */

export type ViewForm = 'url' | 'json';

export interface DecodedView {
  readonly text: string;
  /** The encoding that was decoded last. */
  readonly form: ViewForm;
  /** Maps a position to its position in the original text, including the end of the text. */
  readonly startOf: (at: number) => number;
}

/** Maximum depth of escapes inside escapes: JSON in a JSON text in a log line. */
const DEPTH_MAX = 3;
/** Maximum depth for `+` as a space, which only occurs in URLs, and those are rarely nested. */
const PLUS_DEPTH_MAX = 2;
/** Maximum length of a text to decode, in characters. A longer text with escapes is a whole document, whose values are searched individually. */
const LENGTH_MAX = 4_000_000;

/** @param spaces - Whether `+` may stand for a space, because a secret contains one. */
export function decodedViews(text: string, spaces: boolean): readonly DecodedView[] {
  if (text.length > LENGTH_MAX) return [];
  const seen = new Set([text]);
  const views: DecodedView[] = [];
  let level: readonly Pick<DecodedView, 'text' | 'startOf'>[] = [{ text, startOf: (at) => at }];
  for (let depth = 1; depth <= DEPTH_MAX && level.length > 0; depth++) {
    const next: DecodedView[] = [];
    for (const source of level)
      for (const view of stepsFrom(source, spaces && depth <= PLUS_DEPTH_MAX)) {
        // The order of decoding steps does not matter if they lead to the same text.
        if (seen.has(view.text)) continue;
        seen.add(view.text);
        next.push(view);
      }
    views.push(...next);
    level = next;
  }
  return views;
}

const JSON_ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/g;
const PERCENT = /(?:%[0-9A-Fa-f]{2})+/g;
const PERCENT_OR_PLUS = /\+|(?:%[0-9A-Fa-f]{2})+/g;

function stepsFrom(source: Pick<DecodedView, 'text' | 'startOf'>, spaces: boolean): readonly DecodedView[] {
  const { text } = source;
  const views: DecodedView[] = [];
  if (text.includes('\\')) views.push(viewOf(source, 'json', JSON_ESCAPE, unescapeJson));
  if (text.includes('%')) views.push(viewOf(source, 'url', PERCENT, unescapePercent));
  if (spaces && text.includes('+')) views.push(viewOf(source, 'url', PERCENT_OR_PLUS, unescapePercent));
  return views;
}

/** Decoded characters, and the length of each in the encoded text. */
type Decoded = readonly (readonly [character: string, length: number])[];

function viewOf(
  source: Pick<DecodedView, 'text' | 'startOf'>,
  form: ViewForm,
  escapes: RegExp,
  decode: (escape: string) => Decoded,
): DecodedView {
  const { text } = source;
  const parts: string[] = [];
  /** Decoded positions, and the shift from each of them to the position in the source. */
  const [from, shift]: [number[], number[]] = [[0], [0]];
  let length = 0;
  let done = 0;
  const moveTo = (at: number): void => {
    from.push(length);
    shift.push(at - length);
  };
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    parts.push(text.slice(done, index));
    length += index - done;
    done = index;
    for (const [character, taken] of decode(escape)) {
      parts.push(character);
      // The second half of a surrogate pair maps to the end of the escape.
      moveTo(done);
      length += character.length;
      done += taken;
      moveTo(done);
    }
    done = index + escape.length;
    moveTo(done);
  }
  parts.push(text.slice(done));
  return { text: parts.join(''), form, startOf: (at) => source.startOf(at + (shift[lastUpTo(from, at)] ?? 0)) };
}

/** Returns the index of the last of ascending numbers that is at most `most`. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
}

const LETTERS: { readonly [letter: string]: string } = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function unescapeJson(escape: string): Decoded {
  const letter = escape[1] ?? '';
  const character =
    letter === 'u' ? String.fromCharCode(Number.parseInt(escape.slice(2), 16)) : (LETTERS[letter] ?? letter);
  return [[character, escape.length]];
}

function unescapePercent(escape: string): Decoded {
  if (escape === '+') return [[' ', 1]];
  const text = Buffer.from(escape.replaceAll('%', ''), 'hex').toString('utf8');
  return [...text].map((character) => [character, 3 * Buffer.byteLength(character)]);
}
