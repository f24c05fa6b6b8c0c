/** Errors of Go's `time.ParseDuration`. */

const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h']);

/** Returns the error; undefined for a valid duration. */
export function durationProblem(text: string): string | undefined {
  const quoted = JSON.stringify(text);
  const invalid = `time: invalid duration ${quoted}`;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return invalid;
  while (rest !== '') {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) return invalid;
    rest = rest.slice(number.length);
    const unit = /^[^.\d]+/.exec(rest)?.[0];
    if (unit === undefined) return `time: missing unit in duration ${quoted}`;
    if (!UNITS.has(unit)) return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
    rest = rest.slice(unit.length);
  }
  return undefined;
}
