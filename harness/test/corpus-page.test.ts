/** Executes the examples of docs/corpus.md in their order; `…` in an output stands for anything. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { shell } from '../cli/test-bin.ts';
import { checkOptions } from '../execution/config.ts';
import { encodeCounterexample } from '../schedule/codec/counterexample.ts';
import { decodeReplayable } from '../schedule/codec/record.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const PAGE = read('docs/corpus.md');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-corpus-page-'));
  const config = `target: target.ts\ncrds: [${CONTROLLERS}crd.yaml]\nsamples: [${CONTROLLERS}sample.yaml]\n`;
  writeFileSync(join(folder, 'stalemate.config.yaml'), config);
  writeTarget('refreshes-version-only');
  const found = decodeReplayable(read('docs/examples/lost-update.record.json'), 'the example');
  const counterexample = { ...found, target: { module: 'target.ts', transport: 'http-library' as const } };
  mkdirSync(join(folder, '.stalemate', 'failures'), { recursive: true });
  writeFileSync(
    join(folder, '.stalemate', 'failures', 'lost-update-fa7988.json'),
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
  'the controller is mended': () => writeTarget('correct'),
  'the controller is broken': () => writeTarget('refreshes-version-only'),
  'the controller writes in every reconcile': () => writeTarget('updates-every-reconcile'),
};

interface Example {
  readonly command: string;
  readonly output: string;
  readonly code: number;
}

/** Examples and happenings, as the page has them. */
function stepsOf(page: string): readonly (Example | string)[] {
  return [...page.matchAll(/^<!-- (.*) -->$|^```console\n([\s\S]*?)^```$/gm)].flatMap(
    ([, happening, block]): readonly (Example | string)[] =>
      happening === undefined ? examplesIn(block ?? '') : [happening],
  );
}

function examplesIn(block: string): readonly Example[] {
  return block
    .split(/^\$ /m)
    .filter((text) => text !== '')
    .map((text) => {
      const [command = '', ...rest] = text.trimEnd().split('\n');
      const code = Number(/^# exit code (\d)$/.exec(rest.at(-1) ?? '')?.[1] ?? 0);
      return { command, output: (code === 0 ? rest : rest.slice(0, -1)).join('\n'), code };
    });
}

/** The shown lines as a pattern: a line of its own with `…` is any number of lines. */
function patternOf(shown: string): RegExp {
  const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const lines = escaped.replaceAll(/^…(?:\n|$)/gm, '\u0000').replaceAll('…', '[^\\n]*');
  return new RegExp(`^${lines.replaceAll('\u0000', '(?:[^\\n]*(?:\\n|$))*?')}$`);
}

it('shows what the commands print', { timeout: 120_000 }, () => {
  const steps = stepsOf(PAGE);
  for (const step of steps) {
    if (typeof step === 'string') {
      HAPPENINGS[step]?.();
      continue;
    }
    const line = `${step.command.replace('npx stalemate', '$STALEMATE')} 2>&1`;
    const { code, stdout } = shell(line, folder);
    const output = expect.stringMatching(patternOf(step.output)) as string;
    expect({ command: step.command, output: stdout.trimEnd(), code }).toEqual({ ...step, output });
  }
  expect(steps.length).toBeGreaterThanOrEqual(12);
});

it('shows a configuration that is valid', () => {
  const yaml = /^```yaml\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? '';

  expect(checkOptions(parse(yaml), 'the page').waivers).toHaveLength(1);
});
