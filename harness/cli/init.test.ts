/** A project from the first command to its first verdict, with a module as the target. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stalemate } from './test-bin.ts';

const CONTROLLERS = fileURLToPath(new URL('../../controllers-under-test/releases/', import.meta.url));
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-init-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

function put(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function project(): void {
  put('package.json', JSON.stringify({ type: 'module', dependencies: { '@kubernetes/client-node': '2.0.1' } }));
  put('stalemate.target.ts', `export { default } from ${JSON.stringify(`${CONTROLLERS}correct/controller.ts`)};\n`);
  put('crds/releases.yaml', readFileSync(`${CONTROLLERS}crd.yaml`, 'utf8'));
  put('.gitignore', 'node_modules');
  put('.github/workflows/test.yml', '');
  symlinkSync(MODULES, join(folder, 'node_modules'));
}

it('writes what a project needs and runs it once, and never writes over anything', { timeout: 240_000 }, () => {
  project();
  const shown = stalemate(['init', '--dry-run'], { cwd: folder });
  expect(shown.stdout).toContain('--- stalemate.config.yaml\n# yaml-language-server: $schema=');
  expect([shown.code, existsSync(join(folder, 'stalemate.config.yaml'))]).toEqual([0, false]);

  const { code, stdout } = stalemate(['init', '--budget', '30', '--seed', '1'], { cwd: folder });
  expect(stdout).toContain('no sample that can be used: Release drawn from the schema');
  expect(stdout).toContain('note    .github/workflows/stalemate.yml has to be given stalemate');
  expect(stdout).toMatch(/\nno verdict yet after \d+ s; next: npx stalemate run --budget 10m\n$/);
  // Thirty runs cause only a few conflicts, too few for a verdict.
  expect(stdout).toContain('are too few to say that it holds');
  expect(code).toBe(3);
  expect(read('.gitignore')).toBe(
    'node_modules\n\n# stalemate\n.stalemate/*\n!.stalemate/corpus/\n!.stalemate/baseline.json\n!.stalemate/config.schema.json\n',
  );
  expect(read('stalemate.sample.yaml')).toContain('kind: Release');
  expect(read('.github/workflows/stalemate.yml')).toContain('run: stalemate ci --report-dir stalemate-report');

  const again = stalemate(['init'], { cwd: folder });
  expect(again.stderr).toBe(
    'stalemate: "stalemate.config.yaml" already exists, expected a project without a configuration; "npx stalemate run" uses it, --force overwrites it\n',
  );
  expect(again.code).toBe(2);

  put('stalemate.config.yaml', 'budget: 1\n');
  expect(stalemate(['init', '--force', '--no-run', '--ci', 'none'], { cwd: folder }).stdout).toContain(
    'replace stalemate.config.yaml',
  );
  expect(read('stalemate.config.yaml')).toContain('target: stalemate.target.ts');
  expect(read('.gitignore').match(/# stalemate/g)).toHaveLength(1);
});

it('keeps what is there when it looks again after a build that makes the CRDs', { timeout: 120_000 }, () => {
  project();
  rmSync(join(folder, 'package.json'));
  rmSync(join(folder, 'crds'), { recursive: true });
  put('pom.xml', '<project><artifactId>op</artifactId><version>1</version>javaoperatorsdk</project>');
  put(
    'mvnw',
    `#!/bin/sh\nmkdir -p target/classes/META-INF/fabric8\ncp ${CONTROLLERS}crd.yaml target/classes/META-INF/fabric8\n: >target/op-1.jar\n`,
  );
  chmodSync(join(folder, 'mvnw'), 0o755);
  put('.github/workflows/stalemate.yml', 'mine');
  put('.gitignore', '');

  const flags = ['--target', 'stalemate.target.ts', '--budget', '5'];
  const { stdout } = stalemate(['init', ...flags], { cwd: folder });

  expect(stdout).toContain('keep    .github/workflows/stalemate.yml (it exists; --force overwrites it)');
  expect(stdout).toContain('extend  .gitignore');
  expect(stdout).toContain('1 CRD in target/classes/META-INF/fabric8');
  expect(read('.github/workflows/stalemate.yml')).toBe('mine');
  expect(read('stalemate.config.yaml')).toContain('target/classes/META-INF/fabric8');
  expect(read('stalemate.sample.yaml')).toContain('kind: Release');
});

it('names kinds that are missing, and ends where nothing has an effect', { timeout: 120_000 }, () => {
  project();
  put(
    'stalemate.target.ts',
    `import { CustomObjectsApi } from '@kubernetes/client-node';
export default async function start({ kubeConfig }) {
  const api = kubeConfig.makeApiClient(CustomObjectsApi);
  await api.listClusterCustomObject({ group: 'other.example.com', version: 'v1', plural: 'gadgets' }).catch(() => {});
}
`,
  );

  const { code, stdout } = stalemate(['init', '--ci', 'none'], { cwd: folder });

  expect(stdout).toContain('missing the target requests gadgets (other.example.com), which no CRD declares\n');
  expect(stdout).toContain('tried   Release drawn from the schema: nothing written\n');
  expect(stdout).toContain('stopped the target does nothing without gadgets (other.example.com)\n');
  expect(stdout).not.toContain('\nrun     ');
  expect(code).toBe(3);
});

it('says why a controller ends at once, also where there is nothing to try it with', { timeout: 120_000 }, () => {
  const command = ['--', 'sh', '-c', 'echo no module named gadget; exit 3'];

  const { code, stdout } = stalemate(['init', '--ci', 'none', ...command], { cwd: folder });

  expect(stdout).toContain('stopped the target does not stay up, also without any sample: with code 3\n');
  expect(stdout).toContain('no module named gadget\n');
  expect(code).toBe(3);
});

it('says what has to be installed first', () => {
  project();
  rmSync(join(folder, 'node_modules'));

  const { code, stdout } = stalemate(['init', '--ci', 'gitlab'], { cwd: folder });

  expect(stdout).toContain('first   npm install\nthen    npx stalemate init --force\n');
  expect([code, read('.gitlab-ci.yml').includes('stalemate ci')]).toEqual([3, true]);
});

it.each([
  [[], 'found neither CRDs nor a controller in "'],
  [['--ci', 'jenkins'], 'Allowed choices are github, gitlab, none.'],
])('refuses %j in an empty folder', (flags, sentence) => {
  const { code, stderr } = stalemate(['init', ...flags], { cwd: folder });

  expect(stderr).toContain(sentence);
  expect(code).toBe(2);
});

it('cannot tell how a controller starts, and asks for its command', () => {
  put('crd.yaml', readFileSync(`${CONTROLLERS}crd.yaml`, 'utf8'));

  const { code, stderr } = stalemate(['init'], { cwd: folder });

  expect(stderr).toBe(
    'stalemate: could not find out how the controller is started, expected its command; name it: npx stalemate init -- COMMAND ARGS\n',
  );
  expect(code).toBe(2);
});
