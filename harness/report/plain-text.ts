/**
 * Makes text of a record safe for terminals: characters that move the cursor, change the writing direction or ring the bell are
 * shown as escapes. Objects and log lines may come from anyone.
 */

/** Control characters except tab and line feed, bidirectional marks and overrides, unpaired surrogates. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Cs}]|\p{Bidi_Control}/gu;

export function plainText(text: string): string {
  return text.replaceAll(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns the value with {@link plainText} applied to every string in it. */
export function plainTexts<T>(value: T): T {
  if (typeof value === 'string') return plainText(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => plainTexts(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plainTexts<unknown>(inner)])) as T;
}
