/**
 * Accepts multi-line quoted strings like the YAML parser of Kubernetes' own tools: continuation lines may be indented as little as the key
 * that they belong to, which YAML forbids. Leading blanks of such lines are insignificant, so adding more leaves the string unchanged.
 */

/** Matches `  description: 'text that goes on` and `- "text that goes on`. */
const OPENED = /^(\s*)(?:- +)*(?:[\w.$/-]+:\s+)?(['"])/;

/** Returns the text with continuation lines of quoted strings indented more than their key. */
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

/**
 * Reports whether a quoted string ends on this line. In single quotes, a doubled quote is part of the string; in double quotes, a quote
 * after a backslash is.
 */
function isClosed(line: string, quote: string): boolean {
  const inside = quote === "'" ? line.replaceAll("''", '') : line.replaceAll(/\\./g, '');
  return inside.includes(quote);
}
