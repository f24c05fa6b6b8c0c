/** Unguessable ids, for servers that are not part of a run. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';

/** The alphabet of generated names in Kubernetes (`k8s.io/apimachinery/pkg/util/rand`). */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const KEY_BYTES = 32;

export function randomUid(): string {
  return randomUUID();
}

/** Returns five characters, as the API server appends them to `generateName`. */
export function randomSuffix(): string {
  return Array.from({ length: SUFFIX_LENGTH }, () => SUFFIX_ALPHABET[randomInt(SUFFIX_ALPHABET.length)]).join('');
}

/** Returns a random bearer token or signing key. */
export function randomKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}
