/** Parses durations on the command lines of scripts. */
import { HarnessError } from '../harness/model/errors.ts';

const UNITS_MS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Returns the milliseconds of `30s`, `10m` or `1h`.
 *
 * @throws {USAGE} with the given text.
 */
export function budgetMs(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined)
    throw new HarnessError('USAGE', `got --budget "${text}", expected a time such as 30s, 10m or 1h`);
  return Number(number) * (UNITS_MS[unit] ?? 0);
}
