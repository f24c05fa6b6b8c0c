/** Each cell of the table in docs/security.md has tests that check it. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { testTexts } from '../../scripts/source-scan.ts';
import { COLUMNS, ROWS, titlesByFile } from './security-table.ts';

function file(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
}

/** Returns the rows of the page's table as lists of cells. */
function table(): readonly (readonly string[])[] {
  const [, section = ''] = /^## By command\n(.*?)^## /ms.exec(file('docs/security.md')) ?? [];
  return section
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

it('has tests for every cell of the table', () => {
  const [head, ...rows] = table();

  expect(head).toEqual(['command', ...COLUMNS]);
  expect(rows.map(([commands]) => commands)).toEqual(Object.keys(ROWS));
  expect(rows.filter((cells) => cells.length !== COLUMNS.length + 1 || cells.includes(''))).toEqual([]);
  for (const row of Object.values(ROWS))
    expect(row.map((cell) => cell.length).filter((count) => count === 0)).toEqual([]);
});

it('names tests that there are, and that run', () => {
  for (const [path, titles] of titlesByFile()) {
    const known = testTexts(path, file(path));
    expect([path, [...titles].filter((title) => !known.has(title))]).toEqual([path, []]);
  }
});
