/** Shared by the scripts of this folder: exit codes, and numbers and times on the command line. */
import { ApiServerError } from '../objects/errors.ts';

const EXIT_USAGE = 2;
const EXIT_ENVIRONMENT = 3;
const UNITS_MS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };

/** Runs a script: a usage error prints one line and sets the exit code, anything else is thrown. */
export async function runMain(main: () => void | Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof ApiServerError)) throw error;
    console.error(error.message);
    process.exitCode = error.code === 'CLUSTER_UNAVAILABLE' ? EXIT_ENVIRONMENT : EXIT_USAGE;
  }
}

/** Returns the number in the value of a flag. @throws {USAGE} for anything but digits. */
export function wholeNumber(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new ApiServerError('USAGE', `got ${flag} "${text}", expected a whole number`);
  return Number(text);
}

/** Returns the milliseconds in `30s`, `10m`, `1h`. @throws {USAGE} for anything else. */
export function budgetMs(text: string): number {
  const [, number, unit = ''] = /^(\d+)([smh])$/.exec(text) ?? [];
  if (number === undefined)
    throw new ApiServerError('USAGE', `got --budget "${text}", expected a time such as 30s, 10m or 1h`);
  return Number(number) * (UNITS_MS[unit] ?? 0);
}
