/** What is kept and what is let go. */
import { expect, it } from 'vitest';
import { Recent } from './recent.ts';

it('keeps what was set or asked for lately, and lets go of the rest', () => {
  const keys = Array.from({ length: 6 }, (_, index) => ({ index }));
  const [first, second] = keys;
  const recent = new Recent<object, number>(2);
  for (const key of keys.slice(0, 4)) {
    recent.set(key, key.index);
    if (first !== undefined) expect(recent.get(first)).toBe(0);
  }
  if (second !== undefined) expect(recent.get(second)).toBeUndefined();
  expect(keys.map((key) => recent.get(key)).filter((value) => value !== undefined).length).toBeLessThanOrEqual(4);
});
