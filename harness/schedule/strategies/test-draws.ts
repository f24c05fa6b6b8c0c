/** Draws for tests of strategies. Used by tests only. */
import type { Draws } from './draws.ts';

/** Returns draws with scripted values, and 0 after the last one. */
export function scripted(script: { readonly ints?: readonly number[]; readonly floats?: readonly number[] }): Draws & {
  readonly drawn: { ints: number; floats: number };
} {
  const drawn = { ints: 0, floats: 0 };
  return {
    drawn,
    int: (n) => Math.min(script.ints?.[drawn.ints++] ?? 0, Math.max(0, n - 1)),
    float: () => script.floats?.[drawn.floats++] ?? 0,
  };
}
