import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { titlesByFile } from '../harness/test/security-table.ts';
import { type Guard, namePatternOf, patternOf, roundsOf, titlesWithoutGuard, withoutGuard } from './guards/guard.ts';
import { GUARDS } from './guards/list.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';
import { testTexts } from './source-scan.ts';

const GUARD: Guard = { name: 'a', file: 'a.ts', before: 'guard();', after: '', noticedBy: ['a.test.ts', 'is refused'] };

function read(path: string): string {
  return readFileSync(join(REPOSITORY_ROOT, path), 'utf8');
}

describe.each(GUARDS)('$name', (guard) => {
  it('can be removed, and the result parses', () => {
    const text = withoutGuard(guard, read(guard.file));

    expect(guard.after).not.toBe(guard.before);
    expect(parseSync(guard.file, text).errors).toEqual([]);
  });

  it('names existing tests', () => {
    const [file, ...titles] = guard.noticedBy;
    const texts = [...testTexts(file, read(file))].map((text) => new RegExp(`^${patternOf(text)}$`));

    expect(titles.filter((title) => !texts.some((text) => text.test(title)))).toEqual([]);
  });
});

describe('the list of guards', () => {
  it('has a guard for every title of the table', () => {
    expect(titlesWithoutGuard(titlesByFile(), GUARDS)).toEqual([]);
  });

  it('has unique names', () => {
    const names = GUARDS.map(({ name }) => name);

    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('reports titles without a guard', () => {
    const titles = new Map([['a.test.ts', new Set(['is refused', 'is kept: %s'])]]);

    expect(titlesWithoutGuard(titles, [GUARD])).toEqual(['a.test.ts: is kept: %s']);
    const cases = { ...GUARD, noticedBy: ['a.test.ts', 'is kept: a link'] } as const;
    expect(titlesWithoutGuard(titles, [GUARD, cases])).toEqual([]);
  });
});

describe('removing a guard', () => {
  it('inserts the replacement', () => {
    expect(withoutGuard({ ...GUARD, after: '$&' }, 'a(); guard(); b();')).toBe('a(); $& b();');
  });

  it.each([
    [0, 'other();'],
    [2, 'guard(); guard();'],
  ])('is refused if its text occurs %i times', (count, text) => {
    expect(() => withoutGuard(GUARD, text)).toThrow(
      `guard "a": got ${count} occurrences of "guard();" in a.ts, expected one`,
    );
  });
});

describe('the name of a test', () => {
  it.each([
    ['is refused, with what it is', 'a target is refused, with what it is'],
    ['is refused: %s', 'a target is refused: a link'],
    ['makes a name of %j (a file)', 'makes a name of "[" (a file)'],
    ['the cluster of the session', 'what cannot be recorded is the cluster of the session'],
  ])('is found by the title %j', (title, name) => {
    expect(name).toMatch(new RegExp(namePatternOf([title])));
  });

  it.each([
    ['is refused', 'a target is refused outside'],
    ['is refused', 'a target this is refused outside'],
    ['writes a.json', 'writes a-json'],
    ['keeps', 'upkeeps'],
  ])('is not found by the title %j: %j', (title, name) => {
    expect(name).not.toMatch(new RegExp(namePatternOf([title])));
  });
});

it('makes all edits of a round in different files', () => {
  const other = { ...GUARD, file: 'b.ts' };

  expect(roundsOf([GUARD, GUARD, other])).toEqual([[GUARD, other], [GUARD]]);
});
