/** Returns an unguessable key. The key is not drawn from the seed of a run, which is public and would reveal it. */
import { randomBytes } from 'node:crypto';

export function drawSecretKey(): Buffer {
  return randomBytes(32);
}
