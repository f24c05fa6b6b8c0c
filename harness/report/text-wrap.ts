/** Fits text into columns. Widths are counted in characters: all printed text has one cell per character. */

/** Breaks a text at spaces; words longer than a line are cut. Continuation lines start with `indent` spaces. */
export function wrap(text: string, width: number, indent = 0): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const limit = (): number => Math.max(8, lines.length === 0 ? width : width - indent);
  const flush = (): void => {
    lines.push(lines.length === 0 ? line : ' '.repeat(indent) + line);
    line = '';
  };
  for (let word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > limit()) flush();
    while (word.length > limit()) {
      if (line !== '') flush();
      const room = limit();
      line = word.slice(0, room);
      word = word.slice(room);
      flush();
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  if (line !== '' || lines.length === 0) flush();
  return lines;
}

/** Cuts a text at its end, with an ellipsis. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

/** Wraps a text, and cuts it after `linesMax` lines. */
export function wrapWithin(text: string, width: number, indent: number, linesMax: number): readonly string[] {
  const lines = wrap(text, width, indent);
  if (lines.length <= linesMax) return lines;
  const last = lines[linesMax - 1] ?? '';
  return [...lines.slice(0, linesMax - 1), cut(`${last}…`, width)];
}
