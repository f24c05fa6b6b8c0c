/** How long to wait before the next attempt. */

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The delay doubles with every failure up to a limit. The jitter of up to a fifth keeps keys that failed together from being retried
 * together, and is small enough that each pause is longer than the one before.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffOptions): number {
  const delay = Math.min(baseMs * 2 ** failures, maxMs);
  return Math.round(delay * (1 + Math.random() / 5));
}
