/**
 * The folder for temporary files of all tests in one `vitest run`: removed at the end, even if a test's process was killed.
 *
 * A test, or the program that it tests, must remove its files. Files that are left at the end are a failure, and are listed.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Node's compile cache, if no other folder is set for it. */
const KEPT_BY_NODE = 'node-compile-cache';

/** XDG_STATE_HOME of the tests, so that they do not write to the user's home. */
const STATE = 'state';

/** How long programs whose test process has just ended may take to remove their folders, in ms. */
const GRACE_MS = 5_000;

/** vitest's global setup; returns the teardown. */
export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tests-'));
  const before = { TMPDIR: process.env['TMPDIR'], XDG_STATE_HOME: process.env['XDG_STATE_HOME'] };
  Object.assign(process.env, { TMPDIR: folder, XDG_STATE_HOME: join(folder, STATE) });
  return async () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    const namesLeft = (): readonly string[] =>
      readdirSync(folder).filter((name) => name !== KEPT_BY_NODE && name !== STATE);
    const until = performance.now() + GRACE_MS;
    while (namesLeft().length > 0 && performance.now() < until) await delay(50);
    const left = namesLeft();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) throw new Error(leftText(left));
  };
}

function leftText(left: readonly string[]): string {
  const names = left.toSorted().join(', ');
  return `the tests left ${left.length} entries in their temporary folder: ${names}; remove them in the test that makes them`;
}
