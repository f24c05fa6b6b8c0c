import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeEmpty } from './project.ts';

let folder: string;
let made: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-project-'));
  made = join(folder, 'a', 'b', 'c');
  mkdirSync(made, { recursive: true });
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('folders that were made for a trial', () => {
  it('are taken away, and none beyond them', () => {
    removeEmpty(made, join(folder, 'a', 'b'));

    expect(readdirSync(folder)).toEqual(['a']);
    expect(readdirSync(join(folder, 'a'))).toEqual([]);
  });

  it('stay from where somebody else has written', () => {
    const other = join(folder, 'a', 'b', 'other');
    writeFileSync(other, '');

    removeEmpty(made, join(folder, 'a'));

    expect([existsSync(made), existsSync(other)]).toEqual([false, true]);
  });
});
