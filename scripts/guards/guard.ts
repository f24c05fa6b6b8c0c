/**
 * A guard: code that keeps stalemate from doing what docs/security.md rules out, and the tests that fail without it.
 *
 * Owns: the edit that removes a guard, how tests are found by their titles, and the completeness of the list. Does not own: the list
 * (list.ts), running tests (scratch-copy.ts).
 */
import { HarnessError } from '../../harness/model/errors.ts';

export interface Guard {
  readonly name: string;
  /** Relative to the root of the repository. */
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly before: string;
  /** The replacement without the guard; it must compile, so that tests do not fail for that reason. */
  readonly after: string;
  /** Why the edit adds the forbidden behaviour, if no single guard prevents it. */
  readonly reason?: string;
  /**
   * A file, and titles of tests in it that fail without the guard. A title may select one case: `is refused: a link` for `is refused: %s`.
   */
  readonly noticedBy: readonly [file: string, ...titles: readonly [string, ...string[]]];
}

/**
 * Returns the text of a file without the guard.
 *
 * @throws {USAGE} if the text to replace does not occur exactly once.
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

/** Placeholders that vitest replaces by values. */
const PLACEHOLDER = /%[sdifjo]/;
const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** Returns a regular expression for a title that matches any value of its placeholders. */
export function patternOf(title: string): string {
  return title
    .split(PLACEHOLDER)
    .map((part) => part.replaceAll(SPECIAL, String.raw`\$&`))
    .join('.*');
}

/** Returns a regular expression for full names of tests, which start with the titles of their groups; one case may be selected. */
export function namePatternOf(titles: readonly string[]): string {
  return `(?:^|\\s)(?:${titles.map(patternOf).join('|')})$`;
}

/** Returns the titles that no guard names, as `FILE: TITLE`. */
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

/** Splits guards into rounds that edit each file at most once, so that all edits of a round can be made at once. */
export function roundsOf(guards: readonly Guard[]): readonly (readonly Guard[])[] {
  const rounds: Guard[][] = [];
  for (const guard of guards) {
    const free = rounds.find((round) => round.every(({ file }) => file !== guard.file));
    if (free === undefined) rounds.push([guard]);
    else free.push(guard);
  }
  return rounds;
}
