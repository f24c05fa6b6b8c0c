/**
 * Assigns a processor to a target that should have only one: with two processors, the order of its threads would be random.
 *
 * Owns: spreading targets over the processors that this process may use. Start at {@link nextProcessor}.
 */
import { readFileSync } from 'node:fs';

/** `Cpus_allowed_list:	0-3,8` */
const ALLOWED = /^Cpus_allowed_list:\s*(\S+)$/m;

/** The counter of assignments; different processes of the harness start with different processors. */
let given = process.pid;

/** Returns the allowed processors in turn; undefined if they cannot be listed. */
export function nextProcessor(): number | undefined {
  const allowed = allowedProcessors();
  return allowed[given++ % allowed.length];
}

/** Returns the processors that this process may use. */
export function allowedProcessors(): readonly number[] {
  try {
    return parseList(ALLOWED.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '');
  } catch {
    return [];
  }
}

/** Parses `0-3,8` to 0, 1, 2, 3 and 8. */
export function parseList(list: string): readonly number[] {
  if (list === '') return [];
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
