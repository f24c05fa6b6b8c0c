/** Quotes arguments of commands that users copy. */

/** Quotes an argument for a shell if necessary. */
export function quoted(word: string): string {
  return /^[\w./~@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
