import { HarnessError } from '../harness/model/errors.ts';

/** Parses the number of a flag. @throws {USAGE} if it contains anything but digits. */
export function wholeNumber(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new HarnessError('USAGE', `got ${flag} "${text}", expected a whole number`);
  return Number(text);
}
