import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepare } from './prepare.ts';
import type { Program } from './programs/program.ts';

it.each([
  ['the tool of the project', 'node', 'node install'],
  ['another one where that tool is missing', 'no-such-tool', 'pip install'],
])('asks to install with %s', (_, tool, asked) => {
  const cwd = mkdtempSync(join(tmpdir(), 'stalemate-prepare-'));
  const program: Program = {
    ...{ language: '', command: ['node'], elects: false, setUp: 'node', notes: [] },
    needs: { path: 'missing', get: `${tool} install`, getWithout: 'pip install' },
  };

  expect(prepare(program, { cwd, err: () => {} })).toBe(asked);
  rmSync(cwd, { recursive: true });
});
