/** Words of commands that people copy. */

/** For a shell, in quotes when it needs them. */
export function quoted(word: string): string {
  return /^[\w./~@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
