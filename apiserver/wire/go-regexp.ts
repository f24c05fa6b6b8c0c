/**
 * Go's regular expressions, for schema patterns and CEL.
 *
 * Owns: the semantics of patterns and Go's errors. RE2's syntax looks like JavaScript's but has differences (`\pL`, `\Q…\E`, `\z`, `(?i)`),
 * so a port of Go's engine is used (decision 0037). Start at {@link goRegExp}.
 */
import { createRequire } from 'node:module';
import type * as Engine from 're2js';

export interface GoRegExp {
  /** Reports whether the pattern matches anywhere in the text, as `MatchString` does. */
  readonly test: (text: string) => boolean;
  /** Returns the matches of `FindAllString`, at most `limit` of them (all if it is negative). */
  readonly findAll: (text: string, limit: number) => readonly string[];
}

/** Go's error message for an invalid pattern. */
export interface PatternFault {
  readonly fault: string;
}

let loaded: typeof Engine | undefined;

/** Returns the engine. It is loaded for the first pattern, because loading it takes a fifth of the time to a server's first answer. */
function engine(): typeof Engine {
  return (loaded ??= createRequire(import.meta.url)('re2js') as typeof Engine);
}

const read = new Map<string, GoRegExp | PatternFault>();

/** The maximum number of cached patterns, more than the schemas of one server have. A compiled pattern takes 17 KB. */
const REMEMBERED_MAX = 2_000;

/** Returns the compiled pattern; undefined if Go refuses it. */
export function goRegExp(source: string): GoRegExp | undefined {
  const pattern = readPattern(source);
  return 'fault' in pattern ? undefined : pattern;
}

/**
 * Returns a pattern that is compiled when it is first used, because a schema may have twenty thousand patterns. If Go refuses the pattern,
 * it matches any text.
 */
export function lazyGoRegExp(source: string): Pick<GoRegExp, 'test'> {
  return { test: (text) => goRegExp(source)?.test(text) ?? true };
}

/** Returns Go's error for a pattern; undefined if it is valid. Patterns of common forms are not compiled for this. */
export function patternFault(source: string): string | undefined {
  if (isPlain(source)) return undefined;
  const pattern = readPattern(source);
  return 'fault' in pattern ? pattern.fault : undefined;
}

const ITEM = '[A-Za-z0-9_ ./:@-]';
const PLAIN_CLASS = String.raw`\[\^?(?:a-z|A-Z|0-9|[A-Za-z0-9_ .])+-?\]`;
const PLAIN_ATOM = String.raw`(?:${ITEM}|\\[.dDwWsS/+*?()[\]{}^$|-]|${PLAIN_CLASS})[*+?]?`;
const PLAIN_PIECE = new RegExp(String.raw`\((?:\?:)?|\)[*+?]?|[|^$]|${PLAIN_ATOM}`, 'y');

/** Reports whether a pattern consists only of parts that are valid in any position, with balanced groups. */
function isPlain(source: string): boolean {
  if (source.length > PLAIN_MAX) return false;
  let open = 0;
  PLAIN_PIECE.lastIndex = 0;
  for (let at = 0; at < source.length; at = PLAIN_PIECE.lastIndex) {
    const piece = PLAIN_PIECE.exec(source)?.[0];
    if (piece === undefined) return false;
    if (piece.startsWith('(')) open++;
    else if (piece.startsWith(')') && --open < 0) return false;
  }
  return open === 0;
}

/** Up to this length, no pattern is too large or nested too deep for Go. */
const PLAIN_MAX = 500;

/** Returns the compiled pattern, or Go's error. */
export function readPattern(source: string): GoRegExp | PatternFault {
  const known = read.get(source);
  if (known !== undefined) return known;
  if (read.size > REMEMBERED_MAX) read.clear();
  const pattern = compile(source);
  read.set(source, pattern);
  return pattern;
}

function compile(source: string): GoRegExp | PatternFault {
  try {
    const regexp = engine().RE2JS.compile(source);
    return { test: (text) => regexp.test(text), findAll: (text, limit) => findAll(regexp, text, limit) };
  } catch (error) {
    if (error instanceof engine().RE2JSException) return { fault: inGoWords(error.message) };
    throw error;
  }
}

/** Completes the one message that the port of Go's engine leaves incomplete. */
function inGoWords(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}

function findAll(regexp: Engine.RE2JS, text: string, limit: number): readonly string[] {
  const found: string[] = [];
  const matcher = regexp.matcher(text);
  let end = -1;
  while ((limit < 0 || found.length < limit) && matcher.find()) {
    // Go skips an empty match right after another match.
    if (matcher.end() > matcher.start() || matcher.start() > end) found.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return found;
}
