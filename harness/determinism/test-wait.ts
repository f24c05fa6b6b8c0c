/** Waiting in tests for what another process or a socket does. */
import { vi } from 'vitest';

/** Long enough for a busy machine. */
const LIMIT_MS = 60_000;

/** Looks again and again, in real time, until `look` no longer throws. */
export function eventually<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: LIMIT_MS });
}
