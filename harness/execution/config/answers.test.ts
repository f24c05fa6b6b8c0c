import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readAnswers } from './answers.ts';

it.each([
  ['20,000 levels', '['.repeat(20_000) + ']'.repeat(20_000)],
  ['101 levels', `a: ${'['.repeat(101)}${']'.repeat(101)}`],
])('refuses answers of %s in one sentence', (_, text) => {
  const folder = mkdtempSync(join(tmpdir(), 'stalemate-answers-'));
  try {
    writeFileSync(join(folder, 'answers.yaml'), text);

    expect(() => readAnswers(join(folder, 'answers.yaml'))).toThrow(
      'answers "answers.yaml" could not be read: it nests deeper than 100 levels; expected a file in YAML',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
