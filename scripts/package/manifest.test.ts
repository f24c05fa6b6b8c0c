import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putPackageManifest, restoreManifest } from './manifest.ts';

const CLONE = JSON.stringify({ name: 'a', bin: {}, exports: {}, scripts: { prepack: 'x' } });

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-manifest-'));
  file = join(folder, 'package.json');
  writeFileSync(file, CLONE);
  putPackageManifest(folder);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const stands = (): readonly [text: string, kept: boolean] => [readFileSync(file, 'utf8'), existsSync(`${file}.orig`)];

describe('package.json after a pack', () => {
  it("is the clone's again, even if the pack was killed", () => {
    expect(readFileSync(file, 'utf8')).not.toContain('prepack');

    restoreManifest(folder);

    expect(stands()).toEqual([CLONE, false]);
  });

  it('keeps edits made after a killed pack', () => {
    const edited = CLONE.replace('"a"', '"b"');
    writeFileSync(file, edited);

    restoreManifest(folder);

    expect(stands()).toEqual([edited, false]);
  });

  it("keeps both files if it is unclear which is the clone's", () => {
    writeFileSync(file, '{"name":');

    expect(() => restoreManifest(folder)).toThrow("neither the clone's nor the one that was put in its place");
    expect(stands()).toEqual(['{"name":', true]);
  });
});
