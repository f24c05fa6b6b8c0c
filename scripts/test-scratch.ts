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

/** What is remembered of a user: nobody's home is touched. */
const STATE = 'state';

/** Vitest's global setup; returns the teardown. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const before = { TMPDIR: process.env['TMPDIR'], XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  Object.assign(process.env, { TMPDIR: folder, XDG_STATE_HOME: join(folder, STATE) });
  return () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    const left = readdirSync(folder).filter((name) => name !== KEPT_BY_NODE && name !== STATE);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) throw new Error(leftText(left));
  };
}

function leftText(left: readonly string[]): string {
  const names = left.toSorted().join(', ');
  return `the tests left ${left.length} entries in their temporary folder: ${names}; remove them in the test that makes them`;
}
