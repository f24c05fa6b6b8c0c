/**
 * What stands in a file in place of a secret: `redacted-` and a keyed hash of it. Same secret, same stand-in.
 *
 * Owns: the spelling, in plain text, in base64 and as the JSON that image pull secrets have to be, and finding stand-ins again. The
 * key never leaves the machine, so that nobody finds a short password by trying.
 */
import { createHmac } from 'node:crypto';

const DIGITS = 16;
const PLAIN = /redacted-[0-9a-f]{16}/g;
/** The same in base64: 25 bytes, of which the first nine are the word. */
const ENCODED = /cmVkYWN0ZWQt[A-Za-z0-9+/]{22}==/g;
const ENCODED_JSON = /^eyJyZWRhY3RlZCI6[A-Za-z0-9+/]+={0,2}$/;

export function standInFor(key: Uint8Array, secret: Uint8Array): string {
  return `redacted-${createHmac('sha256', key).update(secret).digest('hex').slice(0, DIGITS)}`;
}

/** In base64; as a JSON object where the server insists on one. */
export function encodedStandIn(standIn: string, json: boolean): string {
  return Buffer.from(json ? JSON.stringify({ redacted: standIn }) : standIn).toString('base64');
}

function isStandIn(text: string): boolean {
  return /^redacted-[0-9a-f]{16}$/.test(text);
}

/** Stand-ins in a text, however they are spelled. */
export function standInsOf(text: string): readonly string[] {
  const found = new Set(text.match(PLAIN));
  for (const [encoded] of text.matchAll(ENCODED)) found.add(decoded(encoded));
  const inJson = jsonStandIn(text);
  if (inJson !== undefined) found.add(inJson);
  return [...found].filter(isStandIn);
}

/** Puts secrets back into a text where they are known; what is not known stays. */
export function withSecrets(text: string, secretOf: (standIn: string) => Buffer | undefined): string {
  const inJson = jsonStandIn(text);
  if (inJson !== undefined) return secretOf(inJson)?.toString('base64') ?? text;
  return text
    .replaceAll(PLAIN, (standIn) => secretOf(standIn)?.toString('utf8') ?? standIn)
    .replaceAll(ENCODED, (encoded) => secretOf(decoded(encoded))?.toString('base64') ?? encoded);
}

function jsonStandIn(text: string): string | undefined {
  return ENCODED_JSON.test(text) ? decoded(text).match(PLAIN)?.[0] : undefined;
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
