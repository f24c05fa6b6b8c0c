import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { calledAs } from './called.ts';

describe('calledAs', () => {
  it.each([
    ['/p/node_modules/.bin/stalemate', '/p', 'npx stalemate'],
    ['/usr/local/bin/stalemate', '/p', 'stalemate'],
    ['/tools/stalemate/harness/cli/bin.mjs', '/tools', 'node stalemate/harness/cli/bin.mjs'],
    ['/tools/stalemate/harness/cli/bin.mjs', '/p/q/r/s/t', 'node /tools/stalemate/harness/cli/bin.mjs'],
    ['/my tools/stalemate/harness/cli/bin.mjs', '/', "node 'my tools/stalemate/harness/cli/bin.mjs'"],
    ['/tools/stalemate-0.1.0/app/stalemate', '/p', '/tools/stalemate-0.1.0/bin/stalemate'],
    ['/p/tools/app/stalemate', '/p', 'tools/bin/stalemate'],
    ['/p/node_modules/vitest/vitest.mjs', '/p', 'npx stalemate'],
    [undefined, '/p', 'npx stalemate'],
  ])('%s in %s is "%s"', (script, cwd, called) => {
    expect(calledAs(script, cwd)).toBe(called);
  });

  it('calls the launcher of the archive by its name where a shell finds it by that', () => {
    const root = mkdtempSync(join(tmpdir(), 'called-'));
    mkdirSync(join(root, 'bin'));
    mkdirSync(join(root, 'links'));
    writeFileSync(join(root, 'bin', 'stalemate'), '');
    symlinkSync(join(root, 'bin', 'stalemate'), join(root, 'links', 'stalemate'));
    const script = join(root, 'app', 'stalemate');

    const called = ['bin', 'links', 'nowhere'].map((folder) => calledAs(script, '/', `/nowhere:${join(root, folder)}`));
    rmSync(root, { recursive: true });

    expect(called).toEqual(['stalemate', 'stalemate', join(root, 'bin', 'stalemate').slice(1)]);
  });
});
