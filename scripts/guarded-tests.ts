/**
 * The tests that a bare machine skips, where everything is there that they need: one that is skipped here as well is a failure.
 *
 *   node scripts/guarded-tests.ts BARE RESULTS   reads vitest's JSON results of the bare machine from the file BARE, runs the files with
 *                                                tests that were skipped there, and writes their results to the file RESULTS
 *
 * `--may-skip` lets tests be skipped again, where the machine lacks something. Exit code 0 when each of them ran and passed, 2 for
 * results that cannot be read.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { REPOSITORY_ROOT } from './repository-files.ts';

/** What is read of vitest's JSON results. */
export interface TestResults {
  readonly testResults: readonly {
    /** Absolute path of the file, in the clone where it ran. */
    readonly name: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const RAN: ReadonlySet<string> = new Set(['passed', 'failed']);

/** Titles of the tests that did not run, by file from the root of the repository. */
export function skippedTests({ testResults }: TestResults): ReadonlyMap<string, readonly string[]> {
  const skipped = new Map<string, readonly string[]>();
  for (const { name, assertionResults } of testResults) {
    const titles = assertionResults.filter(({ status }) => !RAN.has(status)).map(({ fullName }) => fullName);
    if (titles.length > 0) skipped.set(fileOf(name), titles);
  }
  return skipped;
}

/** The results may be those of another clone: the longest end of the path that leads to a file here. */
function fileOf(name: string): string {
  const parts = name.split(sep);
  const at = parts.findIndex((_, index) => index > 0 && existsSync(join(REPOSITORY_ROOT, ...parts.slice(index))));
  if (at === -1) throw new Error(`got results of "${name}", expected a file of this repository`);
  return parts.slice(at).join('/');
}

function read(path: string): TestResults {
  return JSON.parse(readFileSync(path, 'utf8')) as TestResults;
}

function main([bare, results, ...flags]: readonly string[]): number {
  if (bare === undefined || results === undefined || !existsSync(bare)) {
    console.error(`got "${bare ?? ''}", expected a file with vitest's JSON results, and a file to write to`);
    return 2;
  }
  const files = [...skippedTests(read(bare)).keys()];
  if (files.length === 0) {
    console.error(`got no skipped test in "${bare}", expected some: that machine was not bare`);
    return 1;
  }
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const vitest = join(REPOSITORY_ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...files], {
    cwd: REPOSITORY_ROOT,
    stdio: 'inherit',
  });
  const still = existsSync(results) && !flags.includes('--may-skip') ? [...skippedTests(read(results))] : [];
  for (const [file, titles] of still)
    for (const title of titles) console.error(`${file}: "${title}" was skipped here too; its guard says what it needs`);
  return status === 0 && still.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
