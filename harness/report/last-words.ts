/**
 * Selects the last output of a target, which is shown for an inconclusive run and usually contains the reason.
 *
 * Owns: which lines, how many and how long, and their heading. Known secrets are hidden when the lines are printed or written,
 * as in any other text. This file makes that possible: no line is cut within a word, and a private key of several lines is left
 * out. Pure.
 */
import { stripVTControlCharacters } from 'node:util';
import { HarnessError, type HarnessErrorCode } from '../model/errors.ts';
import type { History } from '../model/history.ts';
import { countText } from './count-text.ts';
import { plainText } from './plain-text.ts';
import { keyLinesIn } from './redaction/known-formats.ts';

const LINES_MAX = 10;
const LINE_MAX = 300;
/** Number of lines, counted from the end, that are searched for the beginning of an error report. */
const SEARCHED = 100;
/** Number of lines shown from the end of a longer error report: Python states the error there. */
const END_LINES = 2;

/** The first line of an error report in common languages. */
const TROUBLE =
  /^(?:panic:|fatal error:|Traceback |Exception in thread|thread '.*'(?: \(\d+\))? panicked|\s*at .+:\d+\)?$|Unhandled|Uncaught|\S*(?:Error|Exception)\b:?)/;
/** A complaint about an argument, which a list of all arguments may follow. */
const COMPLAINT =
  /^(?:error: |flag (?:provided but not defined|needs an argument): |invalid (?:value .+ for flag |boolean value .+ for )-)/;
/** Separators of words in a log line. A word is hidden as a whole or not at all, so it is never cut. */
const BETWEEN_WORDS = /[\s"'`,;]/;

const HEADING = 'The target printed last:';

/** Returns the last lines, or the lines from the beginning of an error report if that is further up. */
export function lastLines(lines: readonly string[]): readonly string[] {
  const ofKeys = new Set(keyLinesIn(lines));
  const printed = lines
    .map((line, at) => (ofKeys.has(at) ? '' : stripVTControlCharacters(line)))
    .filter((line) => line.trim() !== '')
    .slice(-SEARCHED);
  const form = [TROUBLE, COMPLAINT].find((one) => printed.some((line) => one.test(line)));
  const at = printed.findIndex((line) => form?.test(line) === true);
  if (at < 0 || printed.length - at <= LINES_MAX) return printed.slice(-LINES_MAX).map(shortened);
  const first = printed.slice(at, at + LINES_MAX - END_LINES - 1);
  const left = countText(printed.length - at - first.length - END_LINES, 'line');
  return [...first, `(${left} left out)`, ...printed.slice(-END_LINES)].map(shortened);
}

/** Returns the last lines of the last incarnation that printed anything. */
export function lastLinesOf({ logs = [] }: Pick<History, 'logs'>): readonly string[] {
  const last = logs.at(-1)?.actor;
  return lastLines(logs.filter(({ actor }) => actor === last).map(({ line }) => line));
}

/**
 * Returns lines that name one of these objects, as `NAMESPACE/NAME` or between quotes: what a target says about a sample that it does
 * nothing with. Of lines that differ in digits only, such as a time, the first is returned.
 */
export function linesAbout(
  { logs = [] }: Pick<History, 'logs'>,
  objects: readonly { readonly namespace: string; readonly name: string }[],
): readonly string[] {
  const names = objects.flatMap(({ namespace, name }) => {
    const escaped = escapedName(name);
    return [new RegExp(`\\b${escapedName(namespace)}/${escaped}(?![\\w-])`), new RegExp(`(["'])${escaped}\\1`)];
  });
  const lines = logs.map(({ line }) => line);
  const ofKeys = new Set(keyLinesIn(lines));
  const about = lines
    .filter((line, at) => !ofKeys.has(at) && names.some((name) => name.test(line)))
    .map((line) => stripVTControlCharacters(line));
  const seen = new Set<string>();
  const distinct = about.filter((line) => {
    const text = line.replaceAll(/\d+/g, '');
    return !seen.has(text) && seen.add(text);
  });
  return distinct.slice(0, LINES_MAX).map(shortened);
}

/** Escapes a name for a regular expression. The dot is the only special character that occurs in names. */
function escapedName(name: string): string {
  return name.replaceAll('.', String.raw`\.`);
}

function shortened(line: string): string {
  if (line.length <= LINE_MAX) return plainText(line);
  let end = LINE_MAX;
  while (end > 0 && !BETWEEN_WORDS.test(line[end] ?? '')) end--;
  return `${plainText(line.slice(0, end))}…`;
}

/** Returns the lines below their heading; empty if nothing was printed. */
export function printedLines(printed: readonly string[] = []): readonly string[] {
  return printed.length === 0 ? [] : [HEADING, ...printed.map((line) => `  ${line}`)];
}

/** Makes an error about a target, with the target's last output below the message. */
export function errorWithPrinted(code: HarnessErrorCode, message: string, printed: readonly string[]): HarnessError {
  return new HarnessError(code, [message, ...printedLines(printed)].join('\n'), { details: { printed } });
}

/** Returns the output that {@link errorWithPrinted} put below the message. */
export function printedIn(error: unknown): readonly string[] {
  const printed = error instanceof HarnessError ? error.details['printed'] : undefined;
  return Array.isArray(printed) ? (printed as readonly string[]) : [];
}
