/** Text that no generated sentence may contain. Used by tests only. */

const WRONG: readonly { readonly what: string; readonly pattern: RegExp }[] = [
  { what: 'a number that is none', pattern: /\b(Infinity|NaN)\b/ },
  { what: 'a value that was never there', pattern: /\bundefined\b|\[object Object\]/ },
  { what: 'an empty name', pattern: / {2}|\(\s*\)|: of\b|\b(of|by|for|to)\s*([:;,]|\.?$)/ },
];

/** Returns what is wrong with a text, or undefined if it is readable. Quoted parts are not checked. */
export function unreadable(text: string): string | undefined {
  const own = text.replaceAll(/"(\\.|[^"\\])*"/g, '"…"');
  for (const { what, pattern } of WRONG) if (pattern.test(own)) return `${what} in: ${text}`;
  for (const [found, number] of own.matchAll(/(\d+(?:\.\d+)?) ?%/g))
    if (Number(number) > 100) return `${found}, more than all, in: ${text}`;
  return undefined;
}
