/** JSON text that a person can read and diff: indented by two spaces, with short flat values on one line. */

/** The longest line of a map or list that stays on one line. */
const WIDTH = 110;

/** Formats a JSON value. Keys keep their order, `undefined` is left out, the text ends with a line feed. */
export function jsonText(value: unknown): string {
  return `${write(value, '')}\n`;
}

function write(value: unknown, indent: string): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const inner = `${indent}  `;
  const list = Array.isArray(value);
  const parts: string[] = [];
  if (list) for (const item of value) parts.push(write(item, inner));
  else {
    const map = value as { readonly [key: string]: unknown };
    for (const key of Object.keys(map)) {
      if (map[key] !== undefined) parts.push(`${JSON.stringify(key)}: ${write(map[key], inner)}`);
    }
  }
  const [open, close] = list ? ['[', ']'] : ['{', '}'];
  if (parts.length === 0) return open + close;
  // A list of maps has one item per line, for readable diffs.
  const table = list && value.some((item) => item !== null && typeof item === 'object' && !Array.isArray(item));
  if (!table && fitsOneLine(parts, indent.length)) {
    return list ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`;
  }
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function fitsOneLine(parts: readonly string[], indent: number): boolean {
  let length = indent + 4;
  for (const part of parts) {
    length += part.length + 2;
    if (length > WIDTH || part.includes('\n')) return false;
  }
  return true;
}
