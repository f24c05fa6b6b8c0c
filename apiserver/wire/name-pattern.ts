/** Name patterns with `*`, as used in configurations. */

/** Reports whether a name matches a pattern, in which `*` matches any text. An absent pattern matches every name. */
export function fits(pattern: string | undefined, name: string): boolean {
  if (pattern === undefined || pattern === name) return true;
  if (!pattern.includes('*')) return false;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
