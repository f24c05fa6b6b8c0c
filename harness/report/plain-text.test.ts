import { expect, it } from 'vitest';
import { plainText } from './plain-text.ts';
import { visible } from './run/plain-text.ts';

/** The characters that Unicode lists as controlling the direction of text (Bidi_Control). */
const BIDIRECTIONAL = [
  ...['\u061C', '\u200E', '\u200F'],
  ...['\u202A', '\u202B', '\u202C', '\u202D', '\u202E'],
  ...['\u2066', '\u2067', '\u2068', '\u2069'],
];

it.each([
  ['a terminal and a page', plainText],
  ['other formats', visible],
])('shows every bidirectional control character as what it is, for %s', (_, shown) => {
  const text = shown(`a${BIDIRECTIONAL.join('')}z\u001B\uD800`);

  expect(text).toBe(
    `a${BIDIRECTIONAL.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}z\\u001b\\ud800`,
  );
});
