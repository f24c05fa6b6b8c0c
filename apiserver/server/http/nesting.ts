/** Checks the depth and size of a JSON text before it is parsed: two bytes of text may become hundreds in memory. */
import { CONTAINERS_MAX, KEYS_MAX, KEYS_OF_MANY_MAX, LEVELS_MAX } from '../weight.ts';

/** Shorter texts cannot exceed the limits. */
const HARMLESS = 2 * LEVELS_MAX;

/**
 * Counts the brackets and fields of a JSON text before parsing.
 *
 * @throws {SyntaxError}
 */
export function checkNesting(text: string): void {
  if (text.length <= HARMLESS) return;
  let depth = 0;
  let containers = 0;
  let fields = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
    } else if (code === OPEN_MAP || code === OPEN_LIST) {
      if (++depth > LEVELS_MAX) throw new SyntaxError(`invalid character '${text.charAt(at)}' exceeded max depth`);
      if (++containers > CONTAINERS_MAX) throw new SyntaxError(`more than ${CONTAINERS_MAX} objects and arrays`);
    } else if (code === CLOSE_MAP || code === CLOSE_LIST) depth--;
    else if (code === COLON) fields++;
  }
  if (containers > KEYS_OF_MANY_MAX)
    checkKeys(
      text,
      KEYS_OF_MANY_MAX,
      `more than ${KEYS_OF_MANY_MAX} objects and arrays with more than ${KEYS_OF_MANY_MAX} different keys`,
    );
  else if (fields > KEYS_MAX) checkKeys(text, KEYS_MAX, `more than ${KEYS_MAX} different keys`);
}

/**
 * Limits the number of distinct keys. V8 interns every key, and an object with a unique key takes half a kilobyte, because V8 keeps a
 * description of each object shape.
 *
 * @throws {SyntaxError} for more keys than `max`.
 */
function checkKeys(text: string, max: number, reason: string): void {
  const keys = new Set<string>();
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at + 1)) {
    const start = at + 1;
    for (at = start; at < text.length && text.charCodeAt(at) !== QUOTE; at++)
      if (text.charCodeAt(at) === BACKSLASH) at++;
    if (text.charCodeAt(at + 1) !== COLON) continue;
    if (keys.add(text.slice(start, at)).size > max) throw new SyntaxError(reason);
  }
}

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
const OPEN_MAP = 123;
const CLOSE_MAP = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
