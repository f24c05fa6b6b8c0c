import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunConfig } from '../config/run-config.ts';
import { programOf, sourcesOf } from './program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-program-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const ofModule = (target: string): Promise<string | null> => programOf({ target, process: null });

describe('the build of a target', () => {
  it('changes with a file that its module imports, however far away', async () => {
    const main = file('main.ts', "import { reconcile } from './lib/reconcile.js';\n");
    file('lib/reconcile.ts', "export * from '../shared';\n");
    file('shared/index.ts', "const { limit } = await import('./limit.mjs');\nconst text = require('./text');\n");
    file('shared/limit.mjs', 'export const limit = 1;\n');
    file('shared/text.json', '{}\n');
    const before = await ofModule(main);

    file('other.ts', 'nobody imports it');
    expect(await ofModule(main)).toBe(before);
    file('shared/limit.mjs', 'export const limit = 2;\n');
    expect(await ofModule(main)).not.toBe(before);
    expect(sourcesOf(main).map((path) => path.slice(folder.length + 1))).toEqual([
      ...['main.ts', 'lib/reconcile.ts', 'shared/index.ts', 'shared/limit.mjs', 'shared/text.json'],
    ]);
  });

  it('is read once from modules that import each other, and without those that are not there', () => {
    const main = file('main.ts', "import './other.ts';\nimport './gone.ts';\nimport 'a-package';\n");
    const other = file('other.ts', "import './main.ts';\n");

    expect(sourcesOf(main)).toEqual([main, other]);
  });

  it('is that of the program, and of files that its arguments name', async () => {
    const script = file('manager.mjs', 'one');
    const started = { command: ['/bin/sh', 'manager.mjs', '--verbose'], cwd: folder };
    const config = { target: '', process: started } as unknown as RunConfig;
    const before = await programOf(config);

    expect(await programOf(config)).toBe(before);
    writeFileSync(script, 'two');
    expect(await programOf(config)).not.toBe(before);
  });

  it('is unknown where there is nothing to read', async () => {
    expect(await ofModule(join(folder, 'nothing.ts'))).toBe(null);
  });
});
