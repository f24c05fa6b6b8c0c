/** Tables of measured results in pages: Markdown rows, and replacing a table between two markers. */

/** Returns a Markdown row; escapes characters that would end a cell, or be emphasis or HTML. */
export function tableRow(cells: readonly (string | number)[]): string {
  const shown = cells.map((cell) =>
    String(cell)
      .replaceAll(/[|*]/g, String.raw`\$&`)
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  );
  return `| ${shown.join(' | ')} |`;
}

/** Returns a Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(tableRow).join('\n');
}

/**
 * Returns a page with the text between its markers `<!-- name -->` and `<!-- /name -->` replaced. The markers are in paragraphs of their
 * own.
 *
 * @throws for a page without the markers, whose other text would be lost.
 */
export function withTable(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`expected ${begin} and ${end} in the page`);
  return `${page.slice(0, from)}${begin}\n\n${text.trimEnd()}\n\n${page.slice(to)}`;
}
