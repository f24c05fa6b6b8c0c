/**
 * A guard: what keeps stalemate from doing what docs/security.md rules out, and the tests that notice when it is missing.
 *
 * Owns: the edit that removes one, how tests are found by their titles, and what a list of guards lacks. Does not own: the list
 * (list.ts), running tests (scratch-copy.ts).
 */
import { HarnessError } from '../../harness/model/errors.ts';

export interface Guard {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly before: string;
  /** Without the guard; the result compiles, so that no test fails for that alone. */
  readonly after: string;
  /** Why the edit adds what must not happen, where no single guard prevents it. */
  readonly reason?: string;
  /** A file, and titles of tests in it that fail without the guard. A title may name one case: `is refused: a link` for `is refused: %s`. */
  readonly noticedBy: readonly [file: string, ...titles: readonly [string, ...string[]]];
}

/**
 * A file without the guard.
 *
 * @throws {USAGE} where the text that is to be replaced does not occur exactly once.
 */
export function withoutGuard({ name, file, before, after }: Guard, text: string): string {
  const [head = '', tail, ...more] = text.split(before);
  if (tail === undefined || more.length > 0)
    throw new HarnessError(
      'USAGE',
      `guard "${name}": got ${tail === undefined ? 0 : more.length + 1} occurrences of ${JSON.stringify(before)} in ${file}, expected one; correct "before" in scripts/guards/`,
    );
  return head + after + tail;
}

/** What vitest puts a value in place of. */
const PLACEHOLDER = /%[sdifjo]/;
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A regular expression for a title, in which the values of cases may be anything. */
export function patternOf(title: string): string {
  return title
    .split(PLACEHOLDER)
    .map((part) => part.replaceAll(SPECIAL, String.raw`\$&`))
    .join('.*');
}

/** The same for the full name of a test, which has the titles of its groups in front; a case may be named alone. */
export function namePatternOf(titles: readonly string[]): string {
  return `(?:^|\\s)(?:${titles.map(patternOf).join('|')})$`;
}

/** Titles that no guard is noticed by, as `FILE: TITLE`. */
export function titlesWithoutGuard(
  titles: ReadonlyMap<string, ReadonlySet<string>>,
  guards: readonly Guard[],
): readonly string[] {
  return [...titles].flatMap(([file, named]) => {
    const covered = guards.flatMap(({ noticedBy: [path, ...own] }) => (path === file ? own : []));
    return [...named]
      .filter((title) => {
        const pattern = new RegExp(`^${patternOf(title)}$`, 's');
        return !covered.some((own) => pattern.test(own));
      })
      .map((title) => `${file}: ${title}`);
  });
}

/** Guards in rounds: in each one no file is edited twice, so that all of its edits can be made at once. */
export function roundsOf(guards: readonly Guard[]): readonly (readonly Guard[])[] {
  const rounds: Guard[][] = [];
  for (const guard of guards) {
    const free = rounds.find((round) => round.every(({ file }) => file !== guard.file));
    if (free === undefined) rounds.push([guard]);
    else free.push(guard);
  }
  return rounds;
}
