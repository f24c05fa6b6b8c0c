/** Executes the examples of docs/corpus.md in order; `…` in an output matches any text. */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkOptions } from '../execution/config/options.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';
import { executePage } from './console-page.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const PAGE = read('docs/corpus.md');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-corpus-page-'));
  const config = `target: target.ts\ncrds: [${CONTROLLERS}crd.yaml]\nsamples: [${CONTROLLERS}sample.yaml]\n`;
  writeFileSync(join(folder, 'stalemate.config.yaml'), config);
  copyFileSync(`${CONTROLLERS}crd.yaml`, join(folder, 'crd.yaml'));
  writeTarget('refreshes-version-only');
  const found = decodeReplayable(read('docs/examples/lost-update.record.json'), 'the example');
  // Adds the cause that the current version would find, because the example was recorded before causes existed.
  const cause = { key: 'write | PUT | deployments.apps | stale', text: 'PUT of deployments.apps' };
  const counterexample = { ...found, cause, target: { module: 'target.ts', transport: 'http-library' as const } };
  mkdirSync(join(folder, '.stalemate', 'failures'), { recursive: true });
  writeFileSync(
    join(folder, '.stalemate', 'failures', 'lost-update-9669dc.json'),
    encodeCounterexample(counterexample),
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeTarget(variant: string): void {
  writeFileSync(
    join(folder, 'target.ts'),
    `export { default } from ${JSON.stringify(`${CONTROLLERS}${variant}/controller.ts`)};\n`,
  );
}

const HAPPENINGS: { readonly [text: string]: () => void } = {
  'the controller is fixed': () => writeTarget('correct'),
  'the controller is broken': () => writeTarget('refreshes-version-only'),
  'the controller writes in every reconcile': () => writeTarget('updates-every-reconcile'),
};

it('shows what the commands print', { timeout: 240_000 }, () => {
  expect(executePage(PAGE, folder, HAPPENINGS)).toBeGreaterThanOrEqual(12);
});

it('shows a configuration that is valid', () => {
  const yaml = /^```yaml\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? '';

  expect(checkOptions(parse(yaml), 'the page').waivers).toHaveLength(1);
});
