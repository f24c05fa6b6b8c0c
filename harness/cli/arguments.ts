/** Values of flags, checked one by one: what was given, what was expected. */
import { parseBudget } from '../execution/budget.ts';
import { HarnessError } from '../model/errors.ts';

/** `--seed`. */
export function seedArgument(text: string): number {
  const seed = Number(text);
  if (/^-?\d+$/.test(text.trim()) && Number.isSafeInteger(seed)) return seed;
  throw usage(`got seed "${text}", expected a whole number; leave --seed out to have one drawn`);
}

/** `--budget`: kept as text, for the configuration takes the same. */
export function budgetArgument(text: string): string {
  if (parseBudget(text) !== undefined) return text;
  throw usage(`got budget "${text}", expected a time like "60s" or "5m", or a number of runs like "2000"`);
}

/** A number of something, at least one. */
export function countArgument(flag: string): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d+$/.test(text.trim()) && Number.isSafeInteger(count) && count >= 1) return count;
    throw usage(`got ${flag} "${text}", expected a whole number of at least 1`);
  };
}

/** `--port`; 0 lets the system choose. */
export function portArgument(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text.trim()) && port <= 65_535) return port;
  throw usage(`got port "${text}", expected a whole number from 0 to 65535`);
}

/** `--cluster`. */
export function clusterArgument(text: string): 'embedded' {
  if (text === 'embedded') return text;
  throw usage(`got cluster "${text}", expected "embedded"`);
}

/** Collects a flag that may come several times. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}

export function usage(message: string): HarnessError {
  return new HarnessError('USAGE', message);
}
