import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileLauncher } from '../../../../scripts/launcher.ts';
import { findLauncher } from './launcher.ts';

const name = `launch-${process.arch}`;
const found = findLauncher();
const hasLauncher = typeof found === 'string';
const compiled = process.arch === 'x64' || process.arch === 'arm64' ? compileLauncher(process.arch) : 'no launcher';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-launcher-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the launcher', () => {
  it('is there for this machine, or it is said why not', () => {
    expect(hasLauncher ? found : found.refused).toMatch(/launch-|no (?:launcher|namespaces)/);
  });

  it.runIf(hasLauncher)('is refused when its bytes are others than those that were reviewed', () => {
    const bytes = readFileSync(String(found));
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(join(folder, name), bytes, { mode: 0o755 });

    expect(findLauncher(pathToFileURL(`${folder}/`))).toEqual({
      refused: `"${join(folder, name)}" is not the launcher that stalemate was released with`,
    });
  });

  it.runIf(hasLauncher)('may be executed again where an archive has lost that', () => {
    copyFileSync(String(found), join(folder, name));
    chmodSync(join(folder, name), 0o644);

    expect(findLauncher(pathToFileURL(`${folder}/`))).toBe(join(folder, name));
    expect(statSync(join(folder, name)).mode & 0o111).toBe(0o111);
  });

  // Needs the compiler that "scripts/launcher.ts" names.
  it.runIf(typeof compiled !== 'string')('is what its source is compiled to', () => {
    expect(readFileSync(String(found)).equals(compiled as Buffer)).toBe(true);
  });
});
