/** Hashes content to distinguish builds, configurations and references. */
import { createHash } from 'node:crypto';

/** Returns the SHA-256 hash in hexadecimal. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
