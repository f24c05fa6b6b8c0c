/**
 * Finds the spellings of known secrets in a text.
 *
 * Owns: the spellings (plain, hex, base64 at each alignment, base64 of base64, and parts of all these); which values are too common to
 * search for. Does not own: escapes (`decoded-views.ts`), what replaces a match (`hide-text.ts`).
 */
import { isBase64, stableBase64, stableSpellings, type Offset } from './base64-text.ts';
import { SeedSearch, type Seed } from './seed-search.ts';

/** Minimum length of a secret that is searched for outside its own place: a shorter one such as "admin" occurs in many words. */
export const LOOKED_FOR_MIN = 6;
/** Minimum length of a secret whose base64 is searched for; below {@link LOOKED_FOR_MIN} only with no base64 character next to it. */
const ENCODED_MIN = 4;
/** Minimum length of a part: shorter ones reveal too little, and occur in too many texts. */
const PART_MIN = 8;
/** Number of characters of a spelling that are searched for before the rest is compared. */
const SEED_MAX = 24;
/** Larger secrets (archives, charts) are only searched for in plain text and base64. */
const ALL_FORMS_MAX = 65_536;
/** Maximum number of lines of a key, each of which may be a log line. */
const LINES_MAX = 500;
const LINE = /^(?=.*\d)(?=.*[A-Za-z])[\w+/=!@#$%^&*~.-]{16,}$/;

interface Spelling {
  readonly text: string;
  readonly standIn: string;
  readonly form: 'plain' | 'part' | 'hex' | 'base64';
  /** The offset of base64. */
  readonly offset: Offset;
  /** The complete base64 with padding; empty for an offset at which other bytes precede. */
  readonly whole: string;
  /** Minimum length of the part, at the beginning or end of the text, that counts as a match. */
  readonly least: number;
  /** True if it only matches without base64 characters next to it, because it may occur in longer base64 by chance. */
  readonly alone: boolean;
}

export interface Sighting {
  readonly start: number;
  readonly end: number;
  readonly standIn: string;
  /** `part`: a part of the plain text. */
  readonly form: Spelling['form'];
  /** For base64: where its stable characters begin, if the match starts with the first one and so shows its alignment. */
  readonly aligned?: { readonly at: number; readonly offset: Offset };
  /** Whether the match is the complete secret, or its complete base64. */
  readonly exact: boolean;
}

/** Names in the same document: a text that is also a name is not a secret. */
export interface Names {
  has(text: string): boolean;
  /** Reports whether the text is a part of any name. */
  holds(text: string): boolean;
}

export class SecretSearch {
  readonly #search: SeedSearch<{ readonly spelling: Spelling; readonly at: number }>;
  readonly #names: Names;
  /** Whether any secret contains a space, which may be spelled `+`. */
  readonly hasSpaces: boolean;

  constructor(secrets: Iterable<readonly [standIn: string, bytes: Buffer]>, names: Names) {
    const seeds: Seed<{ readonly spelling: Spelling; readonly at: number }>[] = [];
    let hasSpaces = false;
    for (const [standIn, bytes] of secrets) {
      hasSpaces ||= bytes.includes(' ');
      for (const spelling of spellingsOf(standIn, bytes, names)) seeds.push(...seedsOf(spelling));
    }
    this.#search = new SeedSearch(seeds);
    this.#names = names;
    this.hasSpaces = hasSpaces;
  }

  /** Returns the matches in a text, in any order; they may overlap. */
  in(text: string): readonly Sighting[] {
    const found: Sighting[] = [];
    const until = new Map<Spelling, number>();
    this.#search.each(text, (at, seed) => {
      // Both ends of a spelling are seeds: a spelling that matched as a whole is not compared again.
      if (at < (until.get(seed.spelling) ?? 0)) return;
      const sighting = this.#closer(text, at - seed.at, seed.at, seed.spelling);
      if (sighting === undefined) return;
      until.set(seed.spelling, sighting.end);
      found.push(sighting);
    });
    return found;
  }

  /** Compares the text around a seed; `from` is where the spelling would begin. */
  #closer(text: string, from: number, seedAt: number, spelling: Spelling): Sighting | undefined {
    const { text: wanted, standIn, form, offset, whole, least, alone } = spelling;
    let [start, end] = [0, wanted.length];
    if (from < 0 || !text.startsWith(wanted, from)) {
      for (start = seedAt; start > 0 && from + start > 0 && text[from + start - 1] === wanted[start - 1];) start--;
      for (end = seedAt; end < wanted.length && text[from + end] === wanted[end];) end++;
      // Accepts only the beginning or the end of the spelling, of sufficient length.
      if ((start > 0 && end < wanted.length) || end - start < least) return undefined;
    }
    const isAll = end - start === wanted.length;
    const place = { start: from + start, end: from + end, standIn };
    if (form === 'plain') {
      if (!isAll && !this.#isRevealing(wanted.slice(start, end))) return undefined;
      return { ...place, form: isAll ? 'plain' : 'part', exact: isAll };
    }
    if (form !== 'base64') return { ...place, form, exact: false };
    const aligned = start > 0 ? {} : { aligned: { at: from, offset } };
    const isWhole = isAll && whole !== '' && text.startsWith(whole, from);
    if (alone && !(isWhole && isAlone(text, from, from + whole.length))) return undefined;
    return { ...place, end: isWhole ? from + whole.length : place.end, form, ...aligned, exact: isWhole };
  }

  /** Reports whether a part reveals anything of the secret: a common word, or a part of a name, does not. */
  #isRevealing(part: string): boolean {
    return !isCommon(part) && !this.#names.holds(part);
  }
}

function seedsOf(spelling: Spelling): readonly Seed<{ readonly spelling: Spelling; readonly at: number }>[] {
  const { text, least } = spelling;
  if (least === text.length && text.length <= SEED_MAX) return [{ text, of: { spelling, at: 0 } }];
  const size = Math.min(least, SEED_MAX);
  const first = { text: text.slice(0, size), of: { spelling, at: 0 } };
  if (least === text.length) return [first];
  return [first, { text: text.slice(-size), of: { spelling, at: text.length - size } }];
}

/** @param standIn - Replaces the secret. */
function spellingsOf(standIn: string, bytes: Buffer, names: Names): readonly Spelling[] {
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes);
  if (bytes.length < ENCODED_MIN || (isText && isPublic(text))) return [];
  if (bytes.length < LOOKED_FOR_MIN || (isText && (isCommon(text) || names.has(text)))) {
    const whole = bytes.toString('base64');
    const once = stableBase64(bytes, 0);
    return [{ text: once, standIn, form: 'base64', offset: 0, whole, least: once.length, alone: true }];
  }
  const spellings: Spelling[] = [];
  const add = (spelled: string, form: Spelling['form'], offset: Offset = 0, whole = '', halves = true): void => {
    if (spelled.length < LOOKED_FOR_MIN) return;
    const half = Math.floor(spelled.length / 2);
    const least = halves && half >= PART_MIN ? half : spelled.length;
    spellings.push({ text: spelled, standIn, form, offset, whole, least, alone: false });
  };
  if (isText) {
    add(text, 'plain', 0, '', !isAddress(text));
    // A Secret's value that ends with a line feed is often used without it.
    const trimmed = text.trim();
    if (trimmed !== text && !isCommon(trimmed) && !names.has(trimmed)) add(trimmed, 'part', 0, '', false);
    const lines = text.length > ALL_FORMS_MAX ? [] : text.split(/\r?\n/, LINES_MAX).map((line) => line.trim());
    if (lines.length > 1)
      for (const line of new Set(lines)) if (line !== trimmed && LINE.test(line)) add(line, 'part', 0, '', false);
  }
  if (isText && text.length <= ALL_FORMS_MAX)
    for (const inside of escapesOf(text))
      for (const { text: once, offset } of stableSpellings(Buffer.from(inside))) add(once, 'base64', offset);
  for (const { text: once, offset } of stableSpellings(bytes)) {
    if (bytes.length > ALL_FORMS_MAX && offset > 0) continue;
    add(once, 'base64', offset, offset === 0 ? bytes.toString('base64') : '');
    if (/[+/]/.test(once)) add(once.replaceAll('+', '-').replaceAll('/', '_'), 'base64', offset);
    if (bytes.length > ALL_FORMS_MAX) continue;
    for (const twice of stableSpellings(Buffer.from(once))) add(twice.text, 'base64', twice.offset);
  }
  if (bytes.length <= ALL_FORMS_MAX) {
    const hex = bytes.toString('hex');
    add(hex, 'hex');
    if (hex !== hex.toUpperCase()) add(hex.toUpperCase(), 'hex');
  }
  return spellings;
}

/** Returns the text as it is escaped in JSON and URLs, to find it in base64 of such texts; empty if nothing needs escaping. */
function escapesOf(text: string): readonly string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const html = json.replaceAll(/[<>&]/g, (one) => `\\u00${one.charCodeAt(0).toString(16)}`);
  const url = encodeURIComponent(text);
  const strict = url.replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return [...new Set([json, html, url, strict])].filter((spelled) => spelled !== text);
}

/** Reports whether a text is a short word or number: these occur in too many texts, and are never treated as secrets. */
export function isCommon(text: string): boolean {
  return /^(?:[a-z]+|[A-Z]+|[\d.:,]+)$/.test(text) && text.length < 12;
}

function isAlone(text: string, start: number, end: number): boolean {
  return !isBase64(text.charCodeAt(start - 1)) && !isBase64(text.charCodeAt(end));
}

/** Reports whether a text is an address. Addresses share their beginnings and ends, so parts of them reveal nothing. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]{0,20}:\/\/[^@]*$/i.test(text) || /^[a-z0-9-]+(?:\.[a-z0-9-]+){2,}(?::\d+)?$/.test(text);
}

/** Reports whether a text is a certificate or a public key, which a Secret may contain. */
function isPublic(text: string): boolean {
  return /^\s*-----BEGIN [A-Z0-9 ]+-----/.test(text) && !text.includes('PRIVATE KEY');
}
