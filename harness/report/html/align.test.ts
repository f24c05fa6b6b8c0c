import { describe, expect, it } from 'vitest';
import { align } from './align.ts';

const rows = (left: string, right: string): string[] =>
  align([...left], [...right], (step) => step).map((row) => `${row.left ?? '-'}${row.right ?? '-'}`);

describe('two runs side by side', () => {
  it('share a row where both do the same', () => {
    expect(rows('abc', 'abc')).toEqual(['aa', 'bb', 'cc']);
  });

  it('stand alone where only one does it, and where it does so at another time', () => {
    expect(rows('abc', 'ac')).toEqual(['aa', 'b-', 'cc']);
    expect(rows('wab', 'abw')).toEqual(['w-', 'aa', 'bb', '-w']);
  });

  it('keep the order of each when nothing is common, or one is empty', () => {
    expect(rows('ab', 'xy')).toEqual(['a-', 'b-', '-x', '-y']);
    expect(rows('', 'x')).toEqual(['-x']);
  });
});
