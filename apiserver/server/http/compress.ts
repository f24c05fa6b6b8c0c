/**
 * Compressed answers: gzip above 128 KiB for clients that accept it, as kube-apiserver does.
 *
 * Owns: which answers to compress, and compressing them off the main thread, so that one large list does not block other requests.
 */
import { constants, gzip } from 'node:zlib';
import type { HeaderMap } from './exchange.ts';

const BYTES_MIN = 128 * 1024;

/** Reports whether to compress a body: it depends on its size and on the request's headers. */
export function compresses(headers: HeaderMap, body: string | Uint8Array): boolean {
  if (body.length <= BYTES_MIN) return false;
  const accepted = headers['accept-encoding'];
  return (
    typeof accepted === 'string' &&
    accepted.split(',').some((one) => (one.split(';', 1)[0] ?? '').trim().toLowerCase() === 'gzip')
  );
}

export function compress(body: string | Uint8Array, done: (error: Error | null, compressed: Buffer) => void): void {
  gzip(body, { level: constants.Z_BEST_SPEED }, done);
}
