/** Tests which lines the log keeps if a target prints a lot. */
import { describe, expect, it } from 'vitest';
import { LogBook } from './log-book.ts';

function printed(count: number): readonly string[] {
  const book = new LogBook();
  for (let line = 0; line < count; line++) book.add('controller', `line ${line}`, { at: line, timeMs: line });
  return book.lines.map(({ line }) => line);
}

describe('a log book', () => {
  it.each([0, 1, 250, 251, 400, 500])('keeps %d lines as they came', (count) => {
    expect(printed(count)).toEqual(Array.from({ length: count }, (_, line) => `line ${line}`));
  });

  it.each([501, 749, 750, 751, 20_000])('keeps both ends of %d lines and says how many are missing', (count) => {
    const lines = printed(count);

    expect(lines.slice(0, 250)).toEqual(Array.from({ length: 250 }, (_, line) => `line ${line}`));
    expect(lines[250]).toMatch(new RegExp(`^\\(${count - 500} lines? left out\\)$`));
    expect(lines.slice(251)).toEqual(Array.from({ length: 250 }, (_, line) => `line ${count - 250 + line}`));
  });
});
