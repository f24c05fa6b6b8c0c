/** The claim: in a folder of its own, vitest runs the example of the README, and each finding is a test failure with its story and line. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RELEASES = join(ROOT, 'controllers-under-test/releases');

interface Assertion {
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-vitest-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/stalemate'));
  symlinkSync(join(ROOT, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  mkdirSync(join(folder, 'config/crd'), { recursive: true });
  mkdirSync(join(folder, 'config/samples'));
  copyFileSync(join(RELEASES, 'crd.yaml'), join(folder, 'config/crd/crd.yaml'));
  copyFileSync(join(RELEASES, 'sample.yaml'), join(folder, 'config/samples/widget.yaml'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** The results of vitest: failures to collect the file, and the state of its tests by title. */
interface Results {
  readonly message: string;
  readonly tests: ReadonlyMap<string, Assertion>;
}

/** Runs vitest as a user does. */
function vitest(test: string, variant: string, budget: string): Results {
  const controller = join(RELEASES, variant, 'controller.ts');
  writeFileSync(join(folder, 'stalemate.target.ts'), `export { default } from ${JSON.stringify(controller)};\n`);
  writeFileSync(join(folder, 'controller.test.ts'), test);
  const args = [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', '--outputFile=out.json'];
  const { VITEST: _, ...env } = process.env;
  const { stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...env, STALEMATE_BUDGET: budget, NO_COLOR: '1' },
  });
  try {
    const { testResults } = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as {
      readonly testResults: readonly { readonly message: string; readonly assertionResults: readonly Assertion[] }[];
    };
    const [file] = testResults;
    const tests = new Map((file?.assertionResults ?? []).map((assertion) => [assertion.title, assertion]));
    return { message: file?.message ?? '', tests };
  } catch (error) {
    throw new Error(`vitest came to nothing: ${stderr}`, { cause: error });
  }
}

function shown(): string {
  const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
  return /```ts\n(\/\/ controller\.test\.ts\nimport \{ testClaim[\s\S]*?)```/.exec(page)?.[1] ?? '';
}

it('fails the test of a property with the story, the command and the line, and passes the others', () => {
  const { tests } = vitest(shown(), 'refreshes-version-only', '300');
  const [failure = ''] = tests.get('no-lost-update')?.failureMessages ?? [];

  expect(failure).toMatch(/^Violated: LOST UPDATE {2}controller reverted/);
  expect(failure).toMatch(/ replay: npx stalemate replay \.stalemate\/failures\/lost-update-\w+\.json/);
  expect(failure.split('\n').find((line) => line.startsWith('    at '))).toContain('controller.test.ts:7:1');
  expect(tests.get('survival')?.status).toBe('passed');
  expect(tests.get('enough was tried')?.status).toBe('passed');
}, 120_000);

it('shrinks what breaks a claim, and passes what holds', () => {
  const test = shown()
    .replace(/^testController.*\n/m, '')
    .replaceAll('5', '1');
  const { tests: broken } = vitest(test, 'correct', '');
  const [failure = ''] = broken.get('updates at most five times')?.failureMessages ?? [];

  expect(failure).toMatch(/^Violated: UPDATES AT MOST FIVE TIMES {2}\d+ updates\n/);
  expect(failure).toMatch(/counterexample: \S+; to replay it, run this test again/);
  expect(failure).toContain('controller.test.ts');
  const expects = test.replace(/return updates.*;.*/, 'expect(updates.length).toBeLessThan(1_000);');
  const claims = `import { expect } from 'vitest';\n${expects}testClaim('is one', options, () => expect(2).toBe(1));\n`;
  const { tests: thrown } = vitest(claims, 'correct', '');
  expect(thrown.get('updates at most five times')?.status).toBe('passed');
  expect(thrown.get('is one')?.failureMessages[0]).toMatch(/^Violated: IS ONE {2}expected 2 to be 1/);
}, 120_000);

it('says what is wrong with options in the failure, not in a stack of its own', () => {
  const test = `import { testController } from 'stalemate/vitest';\ntestController({ target: 'no.ts', samples: [] });\n`;

  expect(vitest(test, 'correct', '10').message).toContain('target "no.ts" does not exist');
});
