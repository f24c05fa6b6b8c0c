/**
 * Runs the tests that a bare machine skips and those that `npm test` leaves out, on a machine with everything that they need: a test that
 * is skipped here is a failure.
 *
 *   node scripts/guarded-tests.ts BARE SKIPPED LONG   reads vitest's JSON results of the bare machine from the file BARE, runs the tests
 *                                                     that were skipped there and the long ones, and writes their results to the files
 *                                                     SKIPPED and LONG
 *   node scripts/guarded-tests.ts count FILE...       prints "PASSED FAILED" of all results together; a test that ran twice counts once
 *
 * `--may-skip` allows skipped tests, if the machine lacks something. Exit code 0 if each of them ran and passed, 2 for unreadable results.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { LONG_TESTS } from './long-tests.ts';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** The part of vitest's JSON results that is used. */
export interface TestResults {
  readonly testResults: readonly {
    /** Absolute path of the file, in the clone where it ran. */
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/**
 * Files at once. Long tests compute more than they wait: with as many at once as usual, some of them would run out of time. Those that a
 * bare machine skips mostly wait for other programs, so both run in parallel.
 */
const AT_ONCE = { skipped: 2, long: 3 } as const;

const RAN: ReadonlySet<string> = new Set(['passed', 'failed']);

/** Returns the titles of the tests that did not run, by file relative to the root of the repository. */
export function skippedTests({ testResults }: TestResults): ReadonlyMap<string, readonly string[]> {
  const skipped = new Map<string, readonly string[]>();
  for (const { name, assertionResults } of testResults) {
    const titles = assertionResults.filter(({ status }) => !RAN.has(status)).map(({ fullName }) => fullName);
    if (titles.length > 0) skipped.set(fileOf(name), titles);
  }
  return skipped;
}

/** The results may be from another clone: finds the longest suffix of the path that is a file here. */
function fileOf(name: string): string {
  const parts = name.split(sep);
  const at = parts.findIndex((_, index) => index > 0 && existsSync(join(REPOSITORY_ROOT, ...parts.slice(index))));
  if (at === -1) throw new Error(`got results of "${name}", expected a file of this repository`);
  return parts.slice(at).join('/');
}

/** Counts passed and failed tests over all results; a test that failed in any of them has failed. */
export function countTests(all: readonly TestResults[]): { readonly passed: number; readonly failed: number } {
  const failures = new Map<string, boolean>();
  for (const { name, assertionResults } of all.flatMap(({ testResults }) => testResults)) {
    // Titles may repeat within a file: each occurrence is a test.
    const seen = new Map<string, number>();
    for (const { fullName, status } of assertionResults) {
      const occurrence = (seen.get(fullName) ?? 0) + 1;
      seen.set(fullName, occurrence);
      if (!RAN.has(status)) continue;
      const test = JSON.stringify([fileOf(name), fullName, occurrence]);
      failures.set(test, status === 'failed' || failures.get(test) === true);
    }
  }
  const failed = [...failures.values()].filter(Boolean).length;
  return { passed: failures.size - failed, failed };
}

function read(path: string): TestResults {
  return JSON.parse(readFileSync(path, 'utf8')) as TestResults;
}

/** Runs tests, in files or with arguments as vitest's command line has them, and writes their results to a file. Reports whether all passed. */
async function runTests(results: string, args: readonly string[]): Promise<boolean> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const vitest = join(REPOSITORY_ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const options = { cwd: REPOSITORY_ROOT, stdio: 'inherit' } as const;
  const [code] = await once(spawn(process.execPath, [vitest, 'run', ...reporters, ...args], options), 'exit');
  return code === 0;
}

/** Returns a pattern for vitest that matches tests with these titles; it puts " > " between a group and its tests, its results a space. */
export function patternOf(titles: readonly string[]): string {
  const patterns = titles.map((title) =>
    title.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replaceAll(' ', '(?: >)? '),
  );
  return `(?:${patterns.join('|')})$`;
}

/** Prints the tests that were skipped again, and returns their number. */
function skippedAgain(results: string, wanted: ReadonlyMap<string, readonly string[]> | undefined): number {
  if (!existsSync(results)) return 0;
  const again = [...skippedTests(read(results))].flatMap(([file, titles]) =>
    titles
      .filter((title) => wanted === undefined || wanted.get(file)?.includes(title) === true)
      .map((title) => ({ file, title })),
  );
  for (const { file, title } of again)
    console.error(`${file}: "${title}" was skipped here too; its condition says what it needs`);
  return again.length;
}

async function main([bare, results, long, ...flags]: readonly string[]): Promise<number> {
  if (bare === 'count') {
    const { passed, failed } = countTests(
      [results, long, ...flags].flatMap((file) => (file !== undefined && existsSync(file) ? [read(file)] : [])),
    );
    console.log(`${passed} ${failed}`);
    return 0;
  }
  if (bare === undefined || results === undefined || long === undefined || !existsSync(bare)) {
    console.error(`got "${bare ?? ''}", expected a file with vitest's JSON results, and two files to write to`);
    return 2;
  }
  const skipped = skippedTests(read(bare));
  if (skipped.size === 0) {
    console.error(`got no skipped test in "${bare}", expected some: that machine was not bare`);
    return 1;
  }
  const pattern = patternOf([...skipped.values()].flat());
  const passed = await Promise.all([
    runTests(results, [...skipped.keys(), '-t', pattern, `--maxWorkers=${AT_ONCE.skipped}`]),
    runTests(long, [...LONG_TESTS, `--maxWorkers=${AT_ONCE.long}`]),
  ]);
  const still = flags.includes('--may-skip') ? 0 : skippedAgain(results, skipped) + skippedAgain(long, undefined);
  return passed.every(Boolean) && still === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
