/**
 * Quoted texts of several lines, as the parser that Kubernetes' own tools use takes them: their further lines may begin as far to the left
 * as the key that they belong to, which YAML forbids. Blanks at the beginning of such lines mean nothing, so that more of them are the
 * same text in YAML.
 */

/** `  description: 'text that goes on`, `- "text that goes on` */
const OPENED = /^(\s*)(?:- +)*(?:[\w.$/-]+:\s+)?(['"])/;

/** The same text, with further lines of quoted texts moved to the right of what they belong to. */
export function withIndentedQuotes(text: string): string {
  const lines = text.split('\n');
  let open: { readonly quote: string; readonly margin: string } | undefined;
  return lines
    .map((line) => {
      if (open !== undefined) {
        const moved = open.margin + line.trimStart();
        if (isClosed(line, open.quote)) open = undefined;
        return moved;
      }
      const found = OPENED.exec(line);
      const [whole = '', margin = '', quote = ''] = found ?? [];
      if (found !== null && !isClosed(line.slice(whole.length), quote)) open = { quote, margin: `${margin}    ` };
      return line;
    })
    .join('\n');
}

/** Whether a quote ends in a line: twice is a quote in the text, and so is one after a backslash between double ones. */
function isClosed(line: string, quote: string): boolean {
  const inside = quote === "'" ? line.replaceAll("''", '') : line.replaceAll(/\\./g, '');
  return inside.includes(quote);
}
