import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findLauncher } from './launcher.ts';

const name = `launch-${process.arch}`;
const found = findLauncher();
const launcher = typeof found === 'string' ? found : '';
const hasLauncher = launcher !== '';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-launcher-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the launcher', () => {
  it('is there for this machine, or it is said why not', () => {
    expect(typeof found === 'string' ? found : found.refused).toMatch(/launch-|no (?:launcher|namespaces)/);
  });

  it.runIf(hasLauncher)('is refused when its bytes are others than those that were reviewed', () => {
    const bytes = readFileSync(launcher);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(join(folder, name), bytes, { mode: 0o755 });

    expect(findLauncher(pathToFileURL(`${folder}/`))).toEqual({
      refused: `"${join(folder, name)}" is not the launcher that stalemate was released with`,
    });
  });

  it.runIf(hasLauncher)('may be executed again where an archive has lost that', () => {
    copyFileSync(launcher, join(folder, name));
    chmodSync(join(folder, name), 0o644);

    expect(findLauncher(pathToFileURL(`${folder}/`))).toBe(join(folder, name));
    expect(statSync(join(folder, name)).mode & 0o111).toBe(0o111);
  });
});
