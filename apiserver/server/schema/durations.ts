/** Durations as parsed by `time.ParseDuration`, and further forms as parsed by go-openapi's strfmt ("3 days"). */

const UNIT_NANOS: { readonly [unit: string]: bigint } = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const INT64_MAX = 2n ** 63n - 1n;

/** Returns the nanoseconds in `1h30m`, `-1.5s`, `0`; undefined when Go refuses the text. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let total = 0n;
  while (rest !== '') {
    const match = /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (match === null) return undefined;
    const [all, whole = '', fraction = '', unit = ''] = match;
    const nanos = UNIT_NANOS[unit];
    if (nanos === undefined || (whole === '' && fraction === '')) return undefined;
    total += BigInt(whole === '' ? '0' : whole) * nanos;
    if (fraction !== '') total += (BigInt(fraction) * nanos) / 10n ** BigInt(fraction.length);
    if (total > INT64_MAX) return undefined;
    rest = rest.slice(all.length);
  }
  return negative ? -total : total;
}

const LONG_UNITS: readonly (readonly [readonly string[], bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
];

/** Parses the same durations, and forms like `3 days` and `2 weeks`; undefined for any other text. */
export function parseDuration(text: string): bigint | undefined {
  const plain = parseGoDuration(text);
  if (plain !== undefined) return plain;
  let total = 0n;
  let found = false;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    const lower = unit.toLowerCase();
    for (const [names, nanos] of LONG_UNITS) {
      // The last unit name may be followed by any suffix: "days", "milliseconds".
      if (!names.some((name, at) => name === lower || (at === names.length - 1 && lower.startsWith(name)))) continue;
      found = true;
      total += BigInt(count) * nanos;
    }
  }
  return found ? total : undefined;
}
