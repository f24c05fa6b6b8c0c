import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { folderTrouble, pagesAndWrappers } from './standalone.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-standalone-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function launcher(
  text = '# Starts stalemate with the Node that stands beside it; links to this file are followed.',
): void {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'bin', 'stalemate'), `#!/bin/sh\n${text}\n`);
}

describe('a folder that may be overwritten', () => {
  it('is absent, empty, or from an earlier build', () => {
    expect(folderTrouble(join(folder, 'absent'))).toBeUndefined();
    expect(folderTrouble(folder)).toBeUndefined();

    launcher();
    mkdirSync(join(folder, 'app'));
    expect(folderTrouble(folder)).toBeUndefined();

    launcher('# Starts stalemate with the Node in the same folder; links to this file are followed.');
    expect(folderTrouble(folder)).toBeUndefined();
  });

  it('is not the clone, and not a folder with other files', () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, '');

    expect(folderTrouble(REPOSITORY_ROOT)).toMatch(
      /holds ".+", expected no folder, an empty one, or one that was made/,
    );
    expect(folderTrouble(folder)).toContain('holds "notes.txt"');
    expect(folderTrouble(file)).toContain('is no folder');
    launcher();
    expect(folderTrouble(folder)).toContain('holds "notes.txt"');
  });

  it('is not one with another program of that name', () => {
    launcher('echo mine');

    expect(folderTrouble(folder)).toContain('holds "bin"');
  });
});

it('contains every page and file that its README links to', () => {
  const readme = readFileSync(join(REPOSITORY_ROOT, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\(((?:docs|ci|harness)\/[^)#]*)/g)].map(([, path = '']) => path);
  const files = new Set(pagesAndWrappers());

  expect(links.filter((path) => !files.has(path) && ![...files].some((file) => file.startsWith(`${path}/`)))).toEqual(
    [],
  );
  expect([...files]).toEqual(expect.arrayContaining(['ci/go/stalemate.go', 'ci/python/pyproject.toml']));
});
