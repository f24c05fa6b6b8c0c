import { describe, expect, it } from 'vitest';
import { foreignWords } from './plain-words.ts';

function words(path: string, text: string): readonly string[] {
  return foreignWords(path, text).map(({ word, line }) => `${line}: ${word}`);
}

describe('odd words in a page', () => {
  it.each([
    ['What would mend it.', 'mend'],
    ['The watch tells the controller.', 'tells'],
    ['It was told late.', 'told'],
    ['Nobody else writes.', 'Nobody'],
    ['Whoever takes over.', 'Whoever'],
    ['What others have written.', 'others have'],
    ['In namespaces of others.', 'of others'],
    ['It is written anew.', 'anew'],
    ['The file stands beside it.', 'stands'],
    ['It is put up with.', 'put up with'],
    ['What became of it.', 'became of'],
    ['What came of it.', 'came of'],
    ['Lets it happen.', 'Lets it happen'],
    ['After a calm run.', 'calm run'],
    ['A rival comes first, heard of or not.', 'heard of'],
  ])('%j holds %s', (text, word) => {
    expect(words('docs/a.md', text)).toContain(`1: ${word}`);
  });

  it('are found in comments of code blocks', () => {
    expect(words('docs/a.md', '```ts\n/** What it tells. */\nconst told = 1;\n```\nwhat it tells')).toEqual([
      '2: tells',
      '5: tells',
    ]);
  });

  it('are reported with the line and a replacement', () => {
    expect(foreignWords('docs/a.md', 'one\ntwo tells\n')).toEqual([
      { line: 2, word: 'tells', instead: expect.stringContaining('"report"') },
    ]);
  });

  it.each([
    'P99 stands for the slowest request in a hundred.',
    'Run it stand-alone; a stand-in is used.',
    'The file is intelligible and understands both; the others are ordinary.',
    'Of `nobody`, the user, and [the issue](https://example.com/tells).',
    '<!-- what others have -->',
    '```\nwhat it tells\n```',
  ])('%j holds none', (text) => {
    expect(words('docs/a.md', text)).toEqual([]);
  });
});

describe('odd words in a source file', () => {
  it('are found in strings and templates, by line', () => {
    const text = "const a = 'mend it';\nconst b = `${a}\nsomebody else`;\n";
    expect(words('harness/a.ts', text)).toEqual(['1: mend', '3: somebody']);
  });

  it('are ignored in names, single words, patterns and comments', () => {
    const text = "// what it tells\nconst told = { mend: 'mend', file: './others.ts' };\nconst b = /nobody else/;\n";
    expect(words('harness/a.ts', text)).toEqual([]);
  });
});
