/**
 * Recognises secrets by the words before them: a header, the user part of a URL, a key with an equals sign.
 *
 * Owns: which words announce secrets in texts, and where their values end. Does not own: the keys of objects
 * (`secret-places.ts`). Every search is linear in the text: it looks at a few characters around a word, or up to the end of the
 * value.
 */
import type { Range } from './known-formats.ts';

/** Matches endings of keys whose values are secrets, with the characters allowed between key and value. */
const KEYWORD =
  /(?:password|passwd|passphrase|pwd|token|secret|key|authorization)(\\*["'`])?[ \t]*([=:])(?![=>:])[ \t]*/gi;
const KEY_MAX = 64;
/** "secret" and "key" alone are ambiguous: in most logs, `secret="default/db"` is a name. */
const NAMES_SECRET =
  /(?:^|[-_.a-z0-9])(?:password|passwd|passphrase|pwd|token|authorization|client[-_]?secret|(?:api|access|account|private|secret|shared|signing|encryption|client)[-_]?key)$/i;
const NAMES_NONE = /(?:continue|max|page|next|cancellation)[-_]?token$|public[-_]?key$/i;
/** Values that are placeholders, references or ordinary words. */
const NO_VALUE =
  /^(?:%[a-z+#]+|\{.*\}|\{\{.*|<[^>]*>|\*+|x+|null|nil|none|true|false|undefined|\[?redacted\]?|rbac|allow-all)$/is;
const REFERENCE = /^\$(?:[({]|[A-Z_][A-Z0-9_]*$)/;
const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256)[ \t]+/i;
const VALUE_MIN = 3;
/** Minimum length of an unquoted value in prose. */
const BARE_MIN = 16;

/** Every text with a value that {@link namedValuesIn} finds contains one of these hints, each of at least four characters. */
export const NAMED_HINTS: readonly string[] = [
  ...[...'abcdefghijklmnopqrstuvwxyz0123456789'].map((letter) => `${letter}://`),
  ...['assword', 'assWord', 'asswd', 'assphrase', 'oken', 'ecret', 'uthorization'].flatMap((word) => [
    word,
    word.toUpperCase(),
  ]),
  ...['pwd', 'Pwd', 'PWD'].flatMap((word) => [...`=: \t"'\\\``].map((sign) => word + sign)),
  // Characters before "key" in names of secrets.
  ...[...'-_istedgn'].flatMap((letter) => [`${letter}key`, `${letter}Key`, `${letter.toUpperCase()}KEY`]),
  ...['earer ', 'earer\t', 'asic ', 'asic\t'],
];

/** Matches the value of a header; words of prose ("Bearer token") are shorter. */
const BEARER = /\b(?:[Bb]earer|[Bb]asic)[ \t]+([A-Za-z0-9._~+/-]{12,}={0,2})/g;
/** `--token VALUE`: arguments of a command that is quoted in a sentence. */
const FLAG = /(?<![\w-])--?[a-z][a-z0-9-]{0,40}[ \t]+(?!-)([^\s"'`,;]{6,})/gi;
const FLAG_NAME = /(?:token|password|passwd|passphrase|api-?key|private-?key|access-?key|secret-?key|client-?secret)$/i;

/** Returns the ranges of values that the words before them announce as secrets. */
export function namedValuesIn(text: string): readonly Range[] {
  const found = [...passwordsOfAddresses(text)];
  const add = (start: number, end: number): void => {
    if (end - start >= VALUE_MIN && isValue(text.slice(start, end))) found.push({ start, end });
  };
  if (/earer|asic/.test(text))
    for (const { 0: all, 1: value = '', index } of text.matchAll(BEARER))
      add(index + all.length - value.length, index + all.length);
  if (text.includes('=') || text.includes(':')) {
    let until = 0;
    for (const match of text.matchAll(KEYWORD)) {
      // Keywords inside a value belong to the value.
      const range = match.index < until ? undefined : valueAfter(text, match);
      if (range === undefined) continue;
      add(range.start, range.end);
      until = range.end;
    }
  }
  if (text.includes('--'))
    for (const { 0: all, 1: value = '', index } of text.matchAll(FLAG)) {
      const name = all.slice(0, -value.length).trimEnd();
      if (FLAG_NAME.test(name) && !/^[a-z]+$/i.test(value)) add(index + all.length - value.length, index + all.length);
    }
  return found;
}

function isValue(text: string): boolean {
  return !NO_VALUE.test(text) && !REFERENCE.test(text);
}

/** @param match - A match of {@link KEYWORD}. */
function valueAfter(text: string, match: RegExpExecArray): Range | undefined {
  const [all, quote, sign] = match;
  const from = match.index + all.length;
  const word = /^[a-z]+/i.exec(all)?.[0] ?? '';
  const before = text.slice(Math.max(0, match.index - KEY_MAX), match.index);
  const key = (/[A-Za-z][\w.-]*$/.exec(before)?.[0] ?? '') + word;
  if (!NAMES_SECRET.test(key) || NAMES_NONE.test(key)) return undefined;
  const opening = /^\\*["'`]/.exec(text.slice(from, from + 16))?.[0];
  if (/^authorization$/i.test(word)) return credentials(text, from);
  if (opening !== undefined) {
    const start = from + opening.length;
    return { start, end: closingOf(text, opening, start) };
  }
  // Without quotes, a colon belongs to prose, unless the line consists of a key and its value.
  if (sign === ':') {
    if (quote !== undefined || !/(?:^|\n)[ \t]*(?:- )?[\w.-]*$/.test(before)) return undefined;
    return { start: from, end: from + (/^[^\s#][^\n]*?(?=[ \t]*(?:\n|$))/.exec(text.slice(from))?.[0].length ?? 0) };
  }
  return { start: from, end: from + (/^[^\s;,&"'`\\)\]}<>]*/.exec(text.slice(from))?.[0].length ?? 0) };
}

/** Returns the credentials after the scheme of a header; without a scheme, a value that is too long to be a word. */
function credentials(text: string, from: number): Range | undefined {
  const rest = text.slice(from, from + 64);
  const opening = /^[[\\"'`]*/.exec(rest)?.[0].length ?? 0;
  const scheme = SCHEME.exec(rest.slice(opening))?.[0].length ?? 0;
  const start = from + opening + scheme;
  let end = start;
  while (end < text.length && !/[\s"'`\\\],;]/.test(text[end] ?? '')) end++;
  return scheme > 0 || end - start >= BARE_MIN ? { start, end } : undefined;
}

/** Returns the end of a quoted text: the next quote with the same number of backslashes as the first one. */
function closingOf(text: string, opening: string, from: number): number {
  const quote = opening.at(-1) ?? '"';
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\' && at - 1 - slashes >= from) slashes++;
    if (slashes === opening.length - 1) return at - slashes;
  }
  return text.length;
}

/** Maximum length of the user part of a URL, in characters; longer ones do not occur in practice. */
const USER_MAX = 4096;

/** Finds passwords in URLs such as `postgres://app:PASSWORD@db`. */
function passwordsOfAddresses(text: string): readonly Range[] {
  const found: Range[] = [];
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    if (!/[a-z0-9]/.test(text[at - 1] ?? '')) continue;
    const from = at + 3;
    const authority = /^[^\s/?#"'<>\\]*/.exec(text.slice(from, from + USER_MAX))?.[0] ?? '';
    const [colon, end] = [authority.indexOf(':'), authority.lastIndexOf('@')];
    if (colon < 0 || end - colon - 1 < VALUE_MIN || !isValue(authority.slice(colon + 1, end))) continue;
    found.push({ start: from + colon + 1, end: from + end });
  }
  return found;
}
