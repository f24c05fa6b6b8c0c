/**
 * What a target printed last: shown where there is no verdict, for that is where the reason is.
 *
 * Owns: which lines, how many and how long, and the heading above them. Known secrets are hidden where the lines are printed or written,
 * as in any other text; what makes that possible is done here: no line is cut inside of a word, and a private key of several lines is
 * left out. Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import { HarnessError, type HarnessErrorCode } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import { countText } from './count-text.ts';
import { plainText } from './plain-text.ts';
import { keyLinesIn } from './redaction/known-formats.ts';

const LINES_MAX = 10;
const LINE_MAX = 300;
/** Of what was printed, so many lines are searched for the beginning of the trouble. */
const SEARCHED = 100;
/** Of a longer report of trouble, so many lines of its end are shown: Python says there what went wrong. */
const END_LINES = 2;

/** Where programs of common languages begin to report what went wrong. */
const TROUBLE =
  /^(?:panic:|fatal error:|Traceback |Exception in thread|thread '.*'(?: \(\d+\))? panicked|\s*at .+:\d+\)?$|Unhandled|Uncaught|\S*(?:Error|Exception)\b:?)/;
/** What may stand between words of a log line. A word is hidden as a whole or not at all, so it is not cut. */
const BETWEEN_WORDS = /[\s"'`,;]/;

const HEADING = 'The target printed last:';

/** The last lines of several; from where a program begins to report what went wrong, if that is further up. */
export function lastLines(lines: readonly string[]): readonly string[] {
  const ofKeys = new Set(keyLinesIn(lines));
  const said = lines
    .map((line, at) => (ofKeys.has(at) ? '' : stripVTControlCharacters(line)))
    .filter((line) => line.trim() !== '')
    .slice(-SEARCHED);
  const at = said.findIndex((line) => TROUBLE.test(line));
  if (at < 0 || said.length - at <= LINES_MAX) return said.slice(-LINES_MAX).map(shortened);
  const first = said.slice(at, at + LINES_MAX - END_LINES - 1);
  const left = countText(said.length - at - first.length - END_LINES, 'line');
  return [...first, `(${left} left out)`, ...said.slice(-END_LINES)].map(shortened);
}

/** Those of the last life that printed anything. */
export function lastLinesOf({ logs = [] }: Pick<History, 'logs'>): readonly string[] {
  const last = logs.at(-1)?.actor;
  return lastLines(logs.filter(({ actor }) => actor === last).map(({ line }) => line));
}

function shortened(line: string): string {
  if (line.length <= LINE_MAX) return plainText(line);
  let end = LINE_MAX;
  while (end > 0 && !BETWEEN_WORDS.test(line[end] ?? '')) end--;
  return `${plainText(line.slice(0, end))}…`;
}

/** The lines under their heading; none where nothing was printed. */
export function printedLines(printed: readonly string[] = []): readonly string[] {
  return printed.length === 0 ? [] : [HEADING, ...printed.map((line) => `  ${line}`)];
}

/** An error about a target, with what it printed last below the message. */
export function errorWithPrinted(code: HarnessErrorCode, message: string, printed: readonly string[]): HarnessError {
  return new HarnessError(code, [message, ...printedLines(printed)].join('\n'), { details: { printed } });
}

/** What an error of {@link errorWithPrinted} shows below its message. */
export function printedIn(error: unknown): readonly string[] {
  const printed = error instanceof HarnessError ? error.details['printed'] : undefined;
  return Array.isArray(printed) ? (printed as readonly string[]) : [];
}
