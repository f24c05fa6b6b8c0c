/**
 * Secrets that are known by what a text says before them: a header, the user of an address, a key with an equals sign.
 *
 * Owns: which words name secrets in texts, and where their values end. Does not own: the keys of objects (`secret-places.ts`). Every look
 * is linear in the text: what is before and after a word is looked at no further than a few characters, or as far as the value goes.
 */
import type { Range } from './known-formats.ts';

/** Ends of keys that name secrets, before what may stand between a key and its value. */
const KEYWORD =
  /(?:password|passwd|passphrase|pwd|token|secret|key|authorization)(\\*["'`])?[ \t]*([=:])(?![=>:])[ \t]*/gi;
const KEY_MAX = 64;
/** "secret" and "key" alone are ambiguous; `secret="default/db"` is a name in most logs. */
const NAMES_SECRET =
  /(?:^|[-_.a-z0-9])(?:password|passwd|passphrase|pwd|token|authorization|client[-_]?secret|(?:api|access|account|private|secret|shared|signing|encryption|client)[-_]?key)$/i;
const NAMES_NONE = /(?:continue|max|page|next|cancellation)[-_]?token$|public[-_]?key$/i;
/** Placeholders, references and words. */
const NO_VALUE =
  /^(?:%[a-z+#]+|\{.*\}|\{\{.*|<[^>]*>|\*+|x+|null|nil|none|true|false|undefined|\[?redacted\]?|rbac|allow-all)$/is;
const REFERENCE = /^\$(?:[({]|[A-Z_][A-Z0-9_]*$)/;
const SCHEME = /^(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey|AWS4-HMAC-SHA256)[ \t]+/i;
const VALUE_MIN = 3;
/** Of what follows a word without quotes in prose. */
const BARE_MIN = 16;

/** One of these is in every text that has such a value; at least four characters each. */
export const NAMED_HINTS: readonly string[] = [
  ...[...'abcdefghijklmnopqrstuvwxyz0123456789'].map((letter) => `${letter}://`),
  ...['assword', 'assWord', 'asswd', 'assphrase', 'oken', 'ecret', 'uthorization'].flatMap((word) => [
    word,
    word.toUpperCase(),
  ]),
  ...['pwd', 'Pwd', 'PWD'].flatMap((word) => [...`=: \t"'\\\``].map((sign) => word + sign)),
  // What comes before "key" in names of secrets.
  ...[...'-_istedgn'].flatMap((letter) => [`${letter}key`, `${letter}Key`, `${letter.toUpperCase()}KEY`]),
  ...['earer ', 'earer\t', 'asic ', 'asic\t'],
];

/** A header's value; words of prose ("Bearer token") are shorter. */
const BEARER = /\b(?:[Bb]earer|[Bb]asic)[ \t]+([A-Za-z0-9._~+/-]{12,}={0,2})/g;
/** `--token VALUE`: words of a command in a sentence. */
const FLAG = /(?<![\w-])--?[a-z][a-z0-9-]{0,40}[ \t]+(?!-)([^\s"'`,;]{6,})/gi;
const FLAG_NAME = /(?:token|password|passwd|passphrase|api-?key|private-?key|access-?key|secret-?key|client-?secret)$/i;

/** Where in a text such values are. */
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
      // What a value says is a part of it.
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

/** @param match - Of {@link KEYWORD}. */
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
  // Without quotes a colon is prose, unless the line is nothing but a key and its value.
  if (sign === ':') {
    if (quote !== undefined || !/(?:^|\n)[ \t]*(?:- )?[\w.-]*$/.test(before)) return undefined;
    return { start: from, end: from + (/^[^\s#][^\n]*?(?=[ \t]*(?:\n|$))/.exec(text.slice(from))?.[0].length ?? 0) };
  }
  return { start: from, end: from + (/^[^\s;,&"'`\\)\]}<>]*/.exec(text.slice(from))?.[0].length ?? 0) };
}

/** What a header holds behind the name of its scheme; without one, what is long enough to be no word. */
function credentials(text: string, from: number): Range | undefined {
  const rest = text.slice(from, from + 64);
  const opening = /^[[\\"'`]*/.exec(rest)?.[0].length ?? 0;
  const scheme = SCHEME.exec(rest.slice(opening))?.[0].length ?? 0;
  const start = from + opening + scheme;
  let end = start;
  while (end < text.length && !/[\s"'`\\\],;]/.test(text[end] ?? '')) end++;
  return scheme > 0 || end - start >= BARE_MIN ? { start, end } : undefined;
}

/** The end of a text in quotes: the next quote that is escaped as often as the first one. */
function closingOf(text: string, opening: string, from: number): number {
  const quote = opening.at(-1) ?? '"';
  for (let at = text.indexOf(quote, from); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\' && at - 1 - slashes >= from) slashes++;
    if (slashes === opening.length - 1) return at - slashes;
  }
  return text.length;
}

/** Longer ones are no address that anybody writes. */
const USER_MAX = 4096;

/** `postgres://app:PASSWORD@db`. */
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
