/** Tables of measured results in pages: rows in Markdown, and the place between two markers where a script puts its table. */

/** Returns a row in Markdown; what would end a cell, or be taken for emphasis or HTML, is escaped. */
export function tableRow(cells: readonly (string | number)[]): string {
  const shown = cells.map((cell) =>
    String(cell)
      .replaceAll(/[|*]/g, String.raw`\$&`)
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;'),
  );
  return `| ${shown.join(' | ')} |`;
}

/** Returns a table in Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(tableRow).join('\n');
}

/**
 * Returns a page with other text between its markers `<!-- name -->` and `<!-- /name -->`, which begin and end a paragraph.
 *
 * @throws for a page without the markers: what follows would be lost.
 */
export function withTable(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end, from);
  if (from < 0 || to < 0) throw new Error(`expected ${begin} and ${end} in the page`);
  return `${page.slice(0, from)}${begin}\n\n${text.trimEnd()}\n\n${page.slice(to)}`;
}
