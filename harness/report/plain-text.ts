/**
 * Text of a record as a terminal may show it: what moves the cursor, turns the direction of what follows or rings is shown as what it is.
 * Objects and log lines come from anybody.
 */

/** Controls but tab and line feed, bidirectional marks and overrides, halves of surrogate pairs. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}]|\p{Bidi_Control}/gu;

export function plainText(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same value with every text in it plain. */
export function plainTexts<T>(value: T): T {
  if (typeof value === 'string') return plainText(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => plainTexts(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainTexts<unknown>(inner)])) as T;
}
