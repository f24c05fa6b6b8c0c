/**
 * Splits a command into words as a shell does, by blanks, quotes and backslashes.
 *
 * Does not own: other features of shells. It expands no variables and patterns, and runs nothing.
 */

/** Characters that a backslash escapes between double quotes. */
const PROTECTED = /["\\$`]/;

/** Returns the words, or the unclosed quote. */
export function shellWords(
  text: string,
): { readonly words: readonly string[] } | { readonly unclosed: '"' | "'" | '\\' } {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (/\s/.test(letter)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (letter === '"' || letter === "'") {
      const quoted = quotedAt(text, at + 1, letter);
      if (quoted === undefined) return { unclosed: letter };
      word = (word ?? '') + quoted.inside;
      at = quoted.end;
    } else if (letter === '\\') {
      at += 1;
      if (at === text.length) return { unclosed: letter };
      word = (word ?? '') + text.charAt(at);
    } else word = (word ?? '') + letter;
  }
  return { words: word === undefined ? words : [...words, word] };
}

function quotedAt(
  text: string,
  from: number,
  quote: '"' | "'",
): { readonly inside: string; readonly end: number } | undefined {
  let inside = '';
  for (let at = from; at < text.length; at++) {
    if (text[at] === quote) return { inside, end: at };
    if (quote === '"' && text[at] === '\\' && PROTECTED.test(text.charAt(at + 1))) at += 1;
    inside += text.charAt(at);
  }
  return undefined;
}
