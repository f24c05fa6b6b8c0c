/**
 * Errors of Go's `time.Parse`.
 *
 * Owns: the two layouts of Kubernetes. Fractional seconds are accepted even if the layout has none; a comma counts as a decimal point.
 */

export const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00';
export const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

/** The parts of a layout in order, each with its pattern and the check of its range. */
const PARTS: readonly (readonly [string, RegExp, string?, ((value: number) => boolean)?])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/, 'month', (value) => value >= 1 && value <= 12],
  ['-', /^-/],
  ['02', /^\d\d/, 'day', (value) => value <= 31],
  ['T', /^T/],
  ['15', /^\d\d?/, 'hour', (value) => value < 24],
  [':', /^:/],
  ['04', /^\d\d/, 'minute', (value) => value < 60],
  [':', /^:/],
  ['05', /^\d\d/, 'second', (value) => value < 60],
];

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns the error for `text`; undefined when it is valid. */
export function goTimeProblem(text: string, layout: string): string | undefined {
  let rest = text;
  const numbers: number[] = [];
  const problem = (part: string, at: string): string =>
    `parsing time ${JSON.stringify(text)} as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(at)} as ${JSON.stringify(part)}`;
  for (const [part, shape, name, holds] of PARTS) {
    const found = shape.exec(rest)?.[0];
    if (found === undefined) return problem(part, rest);
    if (/\d/.test(found)) numbers.push(Number(found));
    if (holds?.(Number(found)) === false) return `parsing time ${JSON.stringify(text)}: ${name ?? ''} out of range`;
    rest = rest.slice(found.length);
  }
  if (layout === MICRO_LAYOUT) {
    if (!/^[.,]\d{6}/.test(rest)) return problem('.000000', rest);
    rest = rest.slice(7);
  } else rest = rest.replace(/^[.,]\d+/, '');
  const zone = /^(?:Z|[+-]\d\d:\d\d)/.exec(rest)?.[0];
  if (zone === undefined) return problem('Z07:00', rest);
  rest = rest.slice(zone.length);
  if (rest !== '') return `parsing time ${JSON.stringify(text)}: extra text: ${JSON.stringify(rest)}`;
  const [year = 0, month = 1, day = 1] = numbers;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  if (day < 1 || day > (DAYS[month - 1] ?? 31) + leap) return `parsing time ${JSON.stringify(text)}: day out of range`;
  return undefined;
}
