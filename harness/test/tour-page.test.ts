/** docs/tour.md: its story matches the record, and its commands are executed. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withStory } from '../../scripts/examples/tour-story.ts';
import { decodeCounterexample, encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { executePage } from './console-page.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONTROLLERS = join(ROOT, 'controllers-under-test', 'worker-pools');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGE = read('docs/tour.md');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-tour-page-'));
  mkdirSync(join(folder, 'docs/examples'), { recursive: true });
  mkdirSync(join(folder, '.stalemate/failures'), { recursive: true });
  cpSync(join(ROOT, 'docs/examples/kuberay-715.record.json'), join(folder, 'docs/examples/kuberay-715.record.json'));
  const config = `target: target.ts\ncrds: [${CONTROLLERS}/crd.yaml]\nsamples: [${CONTROLLERS}/sample.yaml]\n`;
  writeFileSync(join(folder, 'stalemate.config.yaml'), config);
  writeTarget('duplicates-on-stale-list');
  const found = decodeCounterexample(read('docs/examples/cardinality.json'), 'the example');
  const own = { ...found, target: { module: 'target.ts', transport: 'http-library' as const } };
  writeFileSync(join(folder, '.stalemate/failures/too-many-children.json'), encodeCounterexample(own));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function writeTarget(variant: string): void {
  const source = `export { default } from ${JSON.stringify(`${CONTROLLERS}/${variant}/controller.ts`)};\n`;
  writeFileSync(join(folder, 'target.ts'), source);
}

it('shows what the commands print', { timeout: 240_000 }, () => {
  const happenings = { 'the controller is fixed': () => writeTarget('correct') };

  expect(executePage(PAGE, folder, happenings)).toBeGreaterThanOrEqual(5);
});

it('shows the story of the record', () => {
  expect(PAGE, 'run npm run example-pages').toBe(withStory(PAGE));
});
