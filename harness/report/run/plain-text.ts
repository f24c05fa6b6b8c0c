/** Text on its way into formats that other programs read: nothing in it may be more than text there. */

/** Controls but tab and line feed, halves of surrogate pairs, marks that turn the direction of what follows, what XML forbids. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}]|\p{Bidi_Control}|[\u2028\u2029\uFFFE\uFFFF]/gu;

/** Shows invisible characters, and those that some formats cannot hold, as escapes. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Cuts a text to so many characters, and says so. */
export function limited(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = '\n… cut here; the whole is in the report folder';
  return `${text.slice(0, Math.max(0, max - note.length)).replace(/[\uD800-\uDBFF]$/, '')}${note}`;
}

/** A text on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll(/\s*\n\s*/g, ' ');
}
