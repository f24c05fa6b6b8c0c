/** Durations as Go prints them: `1h0m5s`, `1.5s`, `10ms`. */

const UNITS: { readonly [unit: string]: number } = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Returns a number of nanoseconds as Go prints a duration. */
export function durationText(nanoseconds: number): string {
  if (nanoseconds === 0) return '0s';
  const sign = nanoseconds < 0 ? '-' : '';
  const size = Math.abs(nanoseconds);
  if (size < 1e9) {
    const unit = size < 1e3 ? 'ns' : size < 1e6 ? 'µs' : 'ms';
    return `${sign}${size / (UNITS[unit] ?? 1)}${unit}`;
  }
  const hours = Math.floor(size / 3600e9);
  const minutes = Math.floor((size % 3600e9) / 60e9);
  const seconds = (size % 60e9) / 1e9;
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}s`;
}

/** Matches a whole duration. */
const DURATION = /^[+-]?(?:\d*\.?\d+(?:ns|us|µs|ms|s|m|h))+$/;

/** Parses a duration as Go prints it, and returns its nanoseconds; 0 for an invalid text. */
export function durationOf(text: string): number {
  if (!DURATION.test(text)) return 0;
  let total = 0;
  for (const [, count = '0', unit = 'ns'] of text.matchAll(/(\d*\.?\d+)(ns|us|µs|ms|s|m|h)/g))
    total += Number(count) * (UNITS[unit] ?? 0);
  return text.startsWith('-') ? -total : total;
}
