import { HarnessError } from '../harness/model/errors.ts';

/** The number that a flag was given. @throws {USAGE} for anything but digits. */
export function wholeNumber(flag: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new HarnessError('USAGE', `got ${flag} "${text}", expected a whole number`);
  return Number(text);
}
