/** Tests of retention and eviction. */
import { expect, it } from 'vitest';
import { Recent } from './recent.ts';

it('keeps recently set or read entries, and evicts the rest', () => {
  const keys = Array.from({ length: 6 }, (_, index) => ({ index })) as [object, ...{ readonly index: number }[]];
  const [asked, ...others] = keys;
  const recent = new Recent<object, string>(2);
  recent.set(asked, 'asked');
  for (const [index, key] of others.entries()) {
    recent.set(key, `number ${index}`);
    expect(recent.get(asked)).toBe('asked');
  }
  const left = others.map((key) => recent.get(key)).filter((value) => value !== undefined);
  expect(left).not.toContain('number 0');
  expect(left.length).toBeLessThan(4);
});
