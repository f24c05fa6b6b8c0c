/** Two runs and one folder. */
import { existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lockFolder } from './folder-lock.ts';
import { ourHost } from './process-identity.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a report folder', () => {
  it('is for one run at a time', () => {
    const release = lockFolder(folder);

    expect(() => lockFolder(folder)).toThrow(
      `another run (process ${process.pid}) writes to "${folder}"; wait for it, or name another folder with --report-dir`,
    );

    release();
    lockFolder(folder)();
    expect(existsSync(join(folder, 'in-use'))).toBe(false);
  });

  const left = (holder: object): string => JSON.stringify({ version: 1, started: '1', ...holder });

  it('stays with a run of another container for as long as it goes on, whatever its number', () => {
    const path = join(folder, 'in-use');
    writeFileSync(path, left({ host: 'another pid:[1]', pid: 999_999_999 }));

    expect(() => lockFolder(folder)).toThrow(
      `another run (process 999999999 of another, or one that ended less than 2 minutes ago) writes to "${folder}"; wait`,
    );

    utimesSync(path, 0, 0);
    lockFolder(folder)();
    expect(existsSync(path)).toBe(false);
  });

  it('is seen to be in use from outside', async () => {
    const release = lockFolder(folder);
    utimesSync(join(folder, 'in-use'), 0, 0);

    await vi.waitFor(() => expect(statSync(join(folder, 'in-use')).mtimeMs).toBeGreaterThan(0), { timeout: 60_000 });

    release();
  }, 60_000);

  it.each([
    left({ host: ourHost(), pid: 999_999_999 }),
    // As it is in a container, where the first process always has the same number.
    left({ host: ourHost(), pid: process.pid }),
    '999999999',
    '',
    'not a number',
  ])('is free when who had it is gone (%j)', (text) => {
    writeFileSync(join(folder, 'in-use'), text);

    expect(() => lockFolder(folder)()).not.toThrow();
  });
});
