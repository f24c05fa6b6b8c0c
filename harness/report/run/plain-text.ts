/** Makes text safe for formats that other programs read. */

/** Control characters except tab and line feed, unpaired surrogates, bidirectional marks, and characters that XML forbids. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}]|\p{Bidi_Control}|[\u2028\u2029\uFFFE\uFFFF]/gu;

/** Replaces invisible characters, and those that some formats cannot contain, with escapes. */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Cuts a text to `max` characters, and marks the cut. */
export function limited(text: string, max: number): string {
  if (text.length <= max) return text;
  const note = '\n… cut here; the whole is in the report folder';
  return `${text.slice(0, Math.max(0, max - note.length)).replace(/[\uD800-\uDBFF]$/, '')}${note}`;
}

/** Joins the lines of a text. */
export function oneLine(text: string): string {
  return visible(text).replaceAll(/\s*\n\s*/g, ' ');
}
