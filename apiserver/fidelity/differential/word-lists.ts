/** Splits word lists that are written as one multi-line string. */

export function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Returns the cells of rows such as `a b | c d`; a row ends without a separator. */
export function cells(text: string): readonly string[] {
  return text.trim().split(/ \| |\n\s*/);
}
