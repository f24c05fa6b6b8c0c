/** Returns an unguessable key. It is not drawn from a seed: the seed of a run is public, and would reveal the key. */
import { randomBytes } from 'node:crypto';

export function drawSecretKey(): Buffer {
  return randomBytes(32);
}
