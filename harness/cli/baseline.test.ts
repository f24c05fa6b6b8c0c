import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Baseline } from '../model/baseline.ts';
import { summarySchema } from '../report/summary.ts';
import { decodeBaseline, encodeBaseline } from '../schedule/codec/baseline.ts';
import { stalemate, type BinResult } from './test-bin.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-baseline-'));
  const config = `target: target.ts\ncrds: [${CONTROLLERS}crd.yaml]\nsamples: [${CONTROLLERS}sample.yaml]\n`;
  writeFileSync(join(folder, 'stalemate.config.yaml'), config);
  for (const name of ['target.ts', 'other.ts'])
    writeFileSync(
      join(folder, name),
      `export { default } from ${JSON.stringify(`${CONTROLLERS}correct/controller.ts`)};\n`,
    );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function run(...args: readonly string[]): BinResult {
  return stalemate(['run', '--seed', '1', '--budget', '2', '--property', 'survival', ...args], { cwd: folder });
}

function text(): string {
  return readFileSync(join(folder, '.stalemate', 'baseline.json'), 'utf8');
}

it('is written on request, and compared by every run after that', () => {
  expect(run('--update-baseline').stdout).toContain('baseline: what this run measured is in .stalemate/baseline.json');
  const baseline = decodeBaseline(text(), 'b');
  expect(baseline).toMatchObject({ runs: 2, ratio: 1.5, target: { module: 'target.ts' } });

  const summary = summarySchema.parse(JSON.parse(run('--json').stdout));

  expect(summary.budgets?.map(({ name, exceeded }) => [name, exceeded])).toContainEqual(['requestsUndisturbed', false]);
});

it('fails a run that is over it, and keeps ratios that a user set', () => {
  const before = decodeBaseline(text(), 'b');
  const strict: Baseline = {
    ...before,
    ratios: { requestsUndisturbed: 1 },
    measures: { ...before.measures, requestsUndisturbed: 2 },
  };
  writeFileSync(join(folder, '.stalemate', 'baseline.json'), encodeBaseline(strict));

  const { code, stdout } = run();

  expect(stdout).toMatch(
    /✗ over budget: requests of an undisturbed run: \d+ \(×[\d.]+\), the baseline is 2, at most 3 are allowed/,
  );
  expect(code).toBe(1);
  run('--update-baseline');
  expect(decodeBaseline(text(), 'b')).toMatchObject({ ratios: { requestsUndisturbed: 1 }, measures: before.measures });
});

it('is refused for another target, before anything runs', () => {
  const { code, stderr, stdout } = run('--target', 'other.ts');

  expect(stderr).toBe(
    'stalemate: ".stalemate/baseline.json" is the baseline of "target.ts", and this run is about "other.ts"; name another one with --baseline, or, if the target was renamed, delete the file and run with --update-baseline\n',
  );
  expect([code, stdout]).toEqual([2, '']);
});

it('is refused when the user names a file that does not exist, unless it is written', () => {
  const { code, stderr, stdout } = run('--baseline', 'typo.json');

  expect(stderr).toContain('got baseline "typo.json", which does not exist');
  expect([code, stdout]).toEqual([2, '']);
  expect(run('--baseline', 'new.json', '--update-baseline').stdout).toContain('what this run measured is in new.json');
});

it.each([
  ['cut off', '{"version": 1, "kind": "baseline",', 'is cut off'],
  ['with a ratio below one', '"ratio": 0.5', 'at ratio: too small'],
  ['with a measure that is none', '"requestsPerFortnight": 1', 'unknown field "requestsPerFortnight"'],
])('is refused when it is %s', (_, change, message) => {
  const good = text();
  const bad = change.startsWith('{')
    ? change
    : change.startsWith('"ratio"')
      ? good.replace(/"ratio": 1.5/, change)
      : good.replace('"measures": {', `"measures": { ${change},`);
  mkdirSync(join(folder, 'bad'), { recursive: true });
  writeFileSync(join(folder, 'bad', 'baseline.json'), bad);

  const { code, stderr } = run('--baseline', 'bad/baseline.json');

  expect(stderr).toContain('"bad/baseline.json"');
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

it('that cannot be written loses neither what was there nor the summary', () => {
  const before = text();

  const { code, stdout, stderr } = run('--update-baseline', '--baseline', '/dev/null/baseline.json');

  expect(stdout).toContain('seed 1 · 2 runs');
  expect(stderr).toContain('stalemate: could not write "/dev/null/baseline.json"');
  expect(stderr).toContain('name another folder with --baseline');
  expect(code).toBe(3);
  expect(text()).toBe(before);
});
