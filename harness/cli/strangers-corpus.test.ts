/** Findings from an untrusted source in the corpus of a project. */
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { corpusEntryOf } from '../model/corpus.ts';
import type { CounterexampleTarget } from '../model/counterexample.ts';
import { lostUpdate } from '../report/test-findings.ts';
import { removeEntry } from './corpus/folder.ts';
import { resolveRun, revisitConfigured } from './library.ts';

const TARGETS = fileURLToPath(new URL('../test/targets/', import.meta.url));
/** A module that creates a file when it is imported. */
const LEAVES = 'import { writeFileSync } from "node:fs";\nwriteFileSync(new URL("was-here", import.meta.url), "");\n';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-strangers-corpus-'));
  for (const name of ['mine.ts', 'evil.ts']) writeFileSync(join(folder, name), LEAVES);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each<readonly [string, CounterexampleTarget]>([
  ['a command', { command: ['sh', '-c', 'touch was-here'], directory: '.', network: 'host' }],
  ['a module', { module: 'evil.ts', transport: 'http-library' }],
  ['a module outside', { module: '../evil.ts', transport: 'http-library' }],
])('start and import nothing that they name, and are left out: %s', async (_, target) => {
  const crds = [join(TARGETS, 'crd.yaml')];
  const config = resolveRun({ target: 'mine.ts', crds, samples: [join(TARGETS, 'sample.yaml')] }, { cwd: folder });
  const state = { state: 'fixed', reason: '', since: '2026-11-22' } as const;
  const entry = corpusEntryOf({ ...lostUpdate().counterexample, target }, state);

  const revisited = await revisitConfigured([{ name: 'theirs', entry }], config);

  expect(revisited).toMatchObject([{ name: 'theirs', outcome: 'other-target', n: 0 }]);
  expect(existsSync(join(folder, 'was-here'))).toBe(false);
});

it('are not removed through a link in place of their folder', () => {
  writeFileSync(join(folder, 'a.json'), '');
  symlinkSync('.', join(folder, 'corpus'));

  expect(() => removeEntry(join(folder, 'corpus'), 'a')).toThrow('is a symbolic link');
  expect(existsSync(join(folder, 'a.json'))).toBe(true);
});
