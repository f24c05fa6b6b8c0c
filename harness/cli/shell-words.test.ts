import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWords } from './shell-words.ts';

it.each([
  './manager --a="x y" b',
  `a'b c'"d e"f ''`,
  String.raw`a\ b "c \" d" 'e \ f' "g \h \\ i" \'j`,
  '  one\t two  ',
  '""',
])('takes %j apart as a shell does', (text) => {
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\n' ${text}`], { encoding: 'utf8' });

  expect(shellWords(text)).toEqual({ words: stdout.slice(0, -1).split('\n') });
});

it.each([
  ['a "b', '"'],
  [`it's`, "'"],
  ['a\\', '\\'],
])('says of %j what is not closed', (text, unclosed) => {
  expect(shellWords(text)).toEqual({ unclosed });
});

it('finds no word in nothing', () => {
  expect(shellWords(' ')).toEqual({ words: [] });
});
