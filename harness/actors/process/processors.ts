/**
 * Which processor a target gets, where it is to have one only: with two, which of its threads comes first is chance.
 *
 * Owns: spreading targets over those that this process may use. Start at {@link nextProcessor}.
 */
import { readFileSync } from 'node:fs';

/** `Cpus_allowed_list:	0-3,8` */
const ALLOWED = /^Cpus_allowed_list:\s*(\S+)$/m;

/** Several of us begin at different ones. */
let given = process.pid;

/** One after the other; undefined where they cannot be listed. */
export function nextProcessor(): number | undefined {
  const allowed = allowedProcessors();
  return allowed[given++ % allowed.length];
}

/** Those that this process may use. */
export function allowedProcessors(): readonly number[] {
  try {
    return parseList(ALLOWED.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');
  } catch {
    return [];
  }
}

/** `0-3,8`: 0, 1, 2, 3 and 8. */
export function parseList(list: string): readonly number[] {
  if (list === '') return [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
