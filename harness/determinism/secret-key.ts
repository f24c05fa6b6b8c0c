/** Keys that nobody may guess. Not drawn from a seed: whoever knows the seed of a run would know the key. */
import { randomBytes } from 'node:crypto';

export function drawSecretKey(): Buffer {
  return randomBytes(32);
}
