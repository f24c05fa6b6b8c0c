/** Hashes content to tell builds, configurations and references apart. */
import { createHash } from 'node:crypto';

/** Returns the SHA-256 hash in hexadecimal. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
