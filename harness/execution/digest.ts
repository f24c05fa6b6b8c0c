/** Content by its hash: what tells one build, one configuration, one reference from another. */
import { createHash } from 'node:crypto';

/** SHA-256, hexadecimal. */
export function digest(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
