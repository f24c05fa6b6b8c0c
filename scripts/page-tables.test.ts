import { describe, expect, it } from 'vitest';
import { markdownTable, withTable } from './page-tables.ts';

it('escapes text that would end a cell, or be emphasis or HTML', () => {
  expect(markdownTable(['a', 'b'], [['1|2', '<p>*']])).toBe('| a | b |\n| --- | --- |\n| 1\\|2 | &lt;p&gt;\\* |');
});

describe('withTable', () => {
  const page = 'before\n<!-- one -->\n\nold\n\n<!-- /one -->\n\nbetween\n<!-- two -->\n<!-- /two -->\nafter\n';

  it('replaces what is between the markers, and nothing else', () => {
    expect(withTable(page, 'one', 'new\n')).toBe(page.replace('old', 'new'));
    expect(withTable(page, 'two', 'new')).toBe(page.replace('<!-- two -->\n', '<!-- two -->\n\nnew\n\n'));
  });

  it.each(['three', '/one'])('refuses a page without the markers of %s', (name) => {
    expect(() => withTable(page, name, 'new')).toThrow(`expected <!-- ${name} -->`);
  });
});
