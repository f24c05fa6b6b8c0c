/**
 * The folder that all tests of one `vitest run` put temporary files into: removed at the end, also when a test's process was killed.
 *
 * A test, or the program that it tests, is expected to remove what it made. What is left over when the tests end is a failure, by name.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Node's own cache of compiled code, where no other folder was named for it. */
const KEPT_BY_NODE = 'node-compile-cache';

/** Vitest's global setup; returns the teardown. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = readdirSync(folder).filter((name) => name !== KEPT_BY_NODE);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) throw new Error(leftText(left));
  };
}

function leftText(left: readonly string[]): string {
  const names = left.toSorted().join(', ');
  return `the tests left ${left.length} entries in their temporary folder: ${names}; remove them in the test that makes them`;
}
