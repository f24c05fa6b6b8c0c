import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileLauncher } from './launcher.ts';

const compiled = process.arch === 'x64' || process.arch === 'arm64' ? compileLauncher(process.arch) : 'no launcher';

// Needs the compiler named in "launcher.ts".
it.runIf(typeof compiled !== 'string')('the committed launcher matches its source', () => {
  const file = new URL(`../harness/actors/process/launcher/launch-${process.arch}`, import.meta.url);

  expect(readFileSync(file).equals(compiled as Buffer)).toBe(true);
});
