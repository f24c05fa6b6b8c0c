/** Waits in tests for the effects of another process or a socket. */
import { vi } from 'vitest';

/** The limit of a wait: long enough for a busy machine. */
const LIMIT_MS = 60_000;

/** Retries `look` in real time until it no longer throws. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: LIMIT_MS });
}
