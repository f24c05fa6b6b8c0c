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
/** Where a server insists on JSON, the object is the stand-in. */
const WHOLE_JSON = /^\{"redacted":"(redacted-[0-9a-f]{16})"\}$/;
/** The same in base64: 40 bytes. */
const ENCODED_JSON = /eyJyZWRhY3RlZCI6I[A-Za-z0-9+/]{37}==/g;

export function standInFor(key: Uint8Array, secret: Uint8Array): string {
  return `redacted-${createHmac('sha256', key).update(secret).digest('hex').slice(0, DIGITS)}`;
}

/** In base64; as a JSON object where the server insists on one. */
export function encodedStandIn(standIn: string, json: boolean): string {
  return Buffer.from(json ? JSON.stringify({ redacted: standIn }) : standIn).toString('base64');
}

/** Stand-ins in a text, however they are spelled. */
export function standInsOf(text: string): readonly string[] {
  const found = new Set(text.match(PLAIN));
  for (const spelling of [ENCODED, ENCODED_JSON]) {
    for (const [encoded] of text.matchAll(spelling))
      for (const standIn of decoded(encoded).match(PLAIN) ?? []) found.add(standIn);
  }
  return [...found];
}

/** Whether a text is a stand-in from beginning to end, so that what it stands for takes its place unescaped. */
export function isWholeStandIn(text: string): boolean {
  return WHOLE_JSON.test(text);
}

/** Puts secrets back into a text where they are known; what is not known stays. */
export function withSecrets(text: string, secretOf: (standIn: string) => Buffer | undefined): string {
  const [, whole] = WHOLE_JSON.exec(text) ?? [];
  if (whole !== undefined) return secretOf(whole)?.toString('utf8') ?? text;
  const encodedSecret = (encoded: string): string => {
    const [standIn] = decoded(encoded).match(PLAIN) ?? [];
    return (standIn === undefined ? undefined : secretOf(standIn)?.toString('base64')) ?? encoded;
  };
  return text
    .replaceAll(PLAIN, (standIn) => secretOf(standIn)?.toString('utf8') ?? standIn)
    .replaceAll(ENCODED, encodedSecret)
    .replaceAll(ENCODED_JSON, encodedSecret);
}

/** The text without what stand-ins tell apart. */
export function withoutStandIns(text: string): string {
  return [PLAIN, ENCODED, ENCODED_JSON].reduce((rest, spelling) => rest.replaceAll(spelling, 'redacted'), text);
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
