/**
 * Stand-ins replace secrets in files: `redacted-` and a keyed hash of the secret. Equal secrets have equal stand-ins.
 *
 * A stand-in that replaces another spelling of the secret directly (hex, percent-encoding, a part) ends with the form and a hash of that
 * spelling: `redacted-0123456789abcdef.url89abcdef`. Base64 decodes to a text with the stand-in. Owns: encoding and decoding of stand-ins,
 * including the JSON that image pull secrets require. The key never leaves the machine, so that a short password cannot be found by brute
 * force. Decision 0043 has the reasons.
 */
import { createHmac } from 'node:crypto';
import { base64RunAt, stableSpellings, type Base64Run, type Offset } from './base64-text.ts';

const DIGITS = 16;
const FORM_DIGITS = 8;
/** How the replaced text was spelled, if not as the secret itself. */
export type StandInForm = 'url' | 'json' | 'hex' | 'base64' | 'part';

const PLAIN = /redacted-[0-9a-f]{16}(?:\.(?:url|json|hex|base64|part)[0-9a-f]{8})?/g;
/** The prefix of each stand-in. */
const WORD = 'redacted-';
/** The form of a stand-in where the server requires JSON. */
const WHOLE_JSON = /^\{"redacted":"(redacted-[0-9a-f]{16})"\}$/;
const WHOLE = new RegExp(`^(?:${PLAIN.source})$`);

/** The prefix in base64, and in base64 of base64, at each offset. */
const ANCHORS: ReadonlyMap<string, Offset> = new Map(
  stableSpellings(Buffer.from(WORD)).flatMap(({ text, offset }) => [
    [text, offset] as const,
    ...stableSpellings(Buffer.from(text)).map((twice) => [twice.text, twice.offset] as const),
  ]),
);
const ANCHOR = new RegExp([...ANCHORS.keys()].join('|'), 'g');
/** Matches every text that may contain a stand-in; most do not. */
const HINT = new RegExp(`${WORD}|${ANCHOR.source}`);

export function standInFor(key: Uint8Array, secret: Uint8Array): string {
  return WORD + digest(key, secret, DIGITS);
}

/** Returns the stand-in of a text that is another spelling of the same secret. */
export function spelledStandIn(key: Uint8Array, standIn: string, form: StandInForm, text: string): string {
  return `${standIn}.${form}${digest(key, Buffer.from(text), FORM_DIGITS)}`;
}

function digest(key: Uint8Array, content: Uint8Array, digits: number): string {
  return createHmac('sha256', key).update(content).digest('hex').slice(0, digits);
}

/** Encodes a stand-in in base64, as a JSON object if the server requires one. */
export function encodedStandIn(standIn: string, json: boolean): string {
  return Buffer.from(json ? JSON.stringify({ redacted: standIn }) : standIn).toString('base64');
}

/** Returns the stand-ins in a text, in any spelling. */
export function standInsOf(text: string): readonly string[] {
  const found = new Set<string>();
  replaceStandIns(
    text,
    (standIn) => {
      found.add(standIn);
      return standIn;
    },
    (run) => {
      for (const standIn of standInsOf(run.decoded)) found.add(standIn);
      return undefined;
    },
  );
  return [...found];
}

/** Reports whether a text contains a stand-in. */
export function hasStandIn(text: string): boolean {
  return HINT.test(text) && standInsOf(text).length > 0;
}

type SecretOf = (standIn: string) => Buffer | undefined;

/** Replaces stand-ins with their secrets; unknown ones stay. Inside JSON, a secret is escaped as JSON. */
export function withSecrets(text: string, secretOf: SecretOf): string {
  if (!HINT.test(text)) return text;
  const [, whole] = WHOLE_JSON.exec(text) ?? [];
  if (whole !== undefined) return secretOf(whole)?.toString('utf8') ?? text;
  const document = canonicalJson(text);
  if (document !== undefined) return document.text(mapTexts(document.value, (part) => withSecrets(part, secretOf)));
  return replaceStandIns(
    text,
    (standIn) => secretOf(standIn)?.toString('utf8') ?? standIn,
    (run) => {
      const [, inJson = run.decoded] = WHOLE_JSON.exec(run.decoded) ?? [];
      const bytes = WHOLE.test(inJson) ? secretOf(inJson) : undefined;
      if (bytes !== undefined) return run.encode(bytes);
      const restored = withSecrets(run.decoded, secretOf);
      return restored === run.decoded ? undefined : run.encode(restored);
    },
  );
}

/** Replaces every stand-in with the same word. */
export function withoutStandIns(text: string): string {
  return replaceStandIns(
    text,
    () => 'redacted',
    (run) => (hasStandIn(run.decoded) ? 'redacted' : undefined),
  );
}

/** @param ofRun - Returns the replacement of a run of base64; undefined to keep it. */
function replaceStandIns(
  text: string,
  ofStandIn: (standIn: string) => string,
  ofRun: (run: Base64Run) => string | undefined,
): string {
  if (!HINT.test(text)) return text;
  let out = '';
  let done = 0;
  let looked = 0;
  for (const { 0: anchor, index } of text.matchAll(ANCHOR)) {
    if (index < looked) continue;
    const run = base64RunAt(text, index, ANCHORS.get(anchor) ?? 0);
    if (run === undefined || run.start < done) continue;
    looked = run.end;
    const put = ofRun(run);
    if (put === undefined) continue;
    out += text.slice(done, run.start).replaceAll(PLAIN, ofStandIn) + put;
    done = run.end;
  }
  return out + text.slice(done).replaceAll(PLAIN, ofStandIn);
}

/** A JSON document in the format that stalemate writes, so that writing it again gives the same text. */
export interface CanonicalJson {
  readonly value: unknown;
  readonly text: (value: unknown) => string;
}

/** Parses a document in the format of {@link CanonicalJson}; returns undefined for any other text. */
export function canonicalJson(text: string): CanonicalJson | undefined {
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  const end = text.endsWith('\n') ? '\n' : '';
  const write = (value: unknown): string => JSON.stringify(value) + end;
  try {
    const value: unknown = JSON.parse(text);
    return write(value) === text ? { value, text: write } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the value with each string replaced, keys included; the same object if nothing changes. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    return changed(value, (item) => mapTexts(item, change));
  }
  let isSame = true;
  const out = Object.entries(value).map(([key, item]) => {
    const [name, next] = [change(key), mapTexts(item, change)];
    isSame &&= next === item && name === key;
    return [name, next] as const;
  });
  return isSame ? value : Object.fromEntries(out);
}

/** Returns the list with each item replaced; the same list if nothing changes. */
export function changed<T>(list: readonly T[], change: (item: T) => T): readonly T[] {
  const out = list.map(change);
  return out.every((item, index) => item === list[index]) ? list : out;
}
