/**
 * Go's regular expressions as JavaScript's: RE2's syntax is close, and what does not compile here is not checked.
 */

const compiled = new Map<string, RegExp | undefined>();

/** How many patterns are remembered: more than the schemas of one server have. */
const REMEMBERED_MAX = 5_000;

/** The pattern as a regular expression; undefined when JavaScript cannot read it. */
export function goRegExp(source: string): RegExp | undefined {
  if (compiled.has(source)) return compiled.get(source);
  if (compiled.size > REMEMBERED_MAX) compiled.clear();
  const regexp = compile(source);
  compiled.set(source, regexp);
  return regexp;
}

const CLASSES: { readonly [name: string]: string } = {
  alnum: 'a-zA-Z0-9',
  alpha: 'a-zA-Z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

function compile(source: string): RegExp | undefined {
  const body = scopedFlags(source)
    .replaceAll('(?P<', '(?<')
    .replaceAll('\\z', '(?![^])')
    .replaceAll('\\A', '(?<![^])')
    .replaceAll(/\[:(\w+):\]/g, (text, name: string) => CLASSES[name] ?? text);
  for (const tried of ['u', ''])
    try {
      return new RegExp(body, tried);
    } catch {
      // Unicode mode refuses some harmless escapes: try without it.
    }
  return undefined;
}

/** Go's `(?i)` holds to the end of its group; JavaScript wants the group spelled out: `(?i:…)`. */
function scopedFlags(source: string): string {
  const match = /\(\?([ims]+)\)/.exec(source);
  if (match === null) return source;
  const start = match.index + match[0].length;
  const end = endOfGroup(source, start);
  const inside = scopedFlags(source.slice(start, end));
  return `${source.slice(0, match.index)}(?${match[1] ?? ''}:${inside})${source.slice(end)}`;
}

function endOfGroup(source: string, start: number): number {
  let depth = 0;
  let inClass = false;
  for (let at = start; at < source.length; at++) {
    const one = source[at];
    if (one === '\\') at++;
    else if (inClass) inClass = one !== ']';
    else if (one === '[') inClass = true;
    else if (one === '(') depth++;
    else if (one === ')' && --depth < 0) return at;
  }
  return source.length;
}
