/** What no sentence that is built for people may hold. Used by tests only. */

const WRONG: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a number that is none', pattern: /\b(Infinity|NaN)\b/ },
  { what: 'a value that was never there', pattern: /\bundefined\b|\[object Object\]/ },
  { what: 'an empty name', pattern: / {2}|\(\s*\)|: of\b|\b(of|by|for|to)\s*([:;,]|\.?$)/ },
];

/** What is wrong with a text, in words; undefined when it can be read. What stands in quotes is somebody else's. */
export function unreadable(text: string): string | undefined {
  const own = text.replaceAll(/"(\\.|[^"\\])*"/g, '"…"');
  for (const { what, pattern } of WRONG) if (pattern.test(own)) return `${what} in: ${text}`;
  for (const [found, number] of own.matchAll(/(\d+(?:\.\d+)?) ?%/g))
    if (Number(number) > 100) return `${found}, more than all, in: ${text}`;
  return undefined;
}
