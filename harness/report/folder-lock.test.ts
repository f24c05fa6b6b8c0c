/** Two runs and one folder. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFolder } from './folder-lock.ts';

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

  it.each(['999999999', '', 'not a number'])('is free when who had it is gone (%j)', (left) => {
    writeFileSync(join(folder, 'in-use'), left);

    expect(() => lockFolder(folder)()).not.toThrow();
  });
});
