/** Tests the npm package, installed into an empty project, under the oldest supported Node: types, a campaign, a replay. */
import { cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OLDEST_NODE } from '../package/manifest.ts';
import { placeNode, thisPlatform } from '../package/node-binary.ts';
import { REPOSITORY_ROOT } from '../repository-files.ts';
import { checkPackageBill } from './bill.ts';
import { expectText, step } from './steps.ts';

const USE = `import { defineConfig, EXIT, HarnessError, run, type Counterexample, type Property } from 'stalemate';
import { testController } from 'stalemate/vitest';
const options = defineConfig({ target: 'controller.ts', samples: ['sample.yaml'] });
export const own: readonly Property[] = [];
export async function found(): Promise<readonly Counterexample[]> {
  const { findings } = await run(options);
  return findings.map(({ counterexample }) => counterexample);
}
export const code: 0 = EXIT.holds;
export const ours = (error: unknown): boolean => error instanceof HarnessError;
testController({ target: 'controller.ts', samples: ['sample.yaml'] });
// @ts-expect-error a budget is not a list
defineConfig({ budget: [] });
`;
/** The strictest options; without `--skipLibCheck`, so that the declarations of the package are checked too. */
const TYPES = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--noUncheckedIndexedAccess',
  '--target',
  'es2024',
];
const RESOLUTIONS = [
  ['--module', 'nodenext'],
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
];

export function checkInstalled(scratch: string): void {
  const before = readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8');
  step(['npm', 'pack', '--silent', '--pack-destination', scratch], REPOSITORY_ROOT);
  if (readFileSync(join(REPOSITORY_ROOT, 'package.json'), 'utf8') !== before)
    throw new Error('"npm pack" has left a changed package.json in the clone');
  const { name, version } = JSON.parse(before) as { readonly name: string; readonly version: string };
  const tarball = join(scratch, `${name}-${version}.tgz`);
  console.log(`${name}-${version}.tgz  ${(statSync(tarball).size / 1e6).toFixed(1)} MB`);

  placeNode(`${OLDEST_NODE}.0`, thisPlatform(), join(scratch, 'node'));
  const env = { PATH: [join(scratch, 'node', 'bin'), process.env['PATH']].join(delimiter) };
  const project = join(scratch, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "project", "private": true, "type": "module" }\n');
  step(['npm', 'install', '--omit=dev', '--prefer-offline', '--loglevel=error', tarball], project, { env });
  step(['tar', '-xzf', tarball], scratch);
  checkPackageBill(join(scratch, 'package'), project);

  writeFileSync(join(project, 'use.ts'), USE);
  const tsc = join(REPOSITORY_ROOT, 'node_modules', '.bin', 'tsc');
  for (const resolution of RESOLUTIONS) step([tsc, ...TYPES, ...resolution, 'use.ts'], project);

  for (const part of ['releases', 'lib'])
    cpSync(join(REPOSITORY_ROOT, 'controllers-under-test', part), join(project, part), { recursive: true });
  const bin = join(project, 'node_modules', '.bin', 'stalemate');
  const target = ['--target', 'releases/refreshes-version-only/controller.ts'];
  const files = ['--crds', 'releases/crd.yaml', '--sample', 'releases/sample.yaml'];
  const budget = ['--budget', '60s', '--stop-after', '1', '--seed', '1'];
  const { out } = step([bin, 'run', ...files, ...target, ...budget], project, { codes: [1], env });
  expectText(out, /LOST UPDATE/, 'the campaign of the installed package');
  const [, replay] = /replay: npx stalemate replay (\S+)/.exec(out) ?? [];
  if (replay === undefined) throw new Error(`the campaign printed no replay command with npx:\n${out}`);
  expectText(step([bin, 'replay', replay], project, { codes: [1], env }).out, /LOST UPDATE/, 'the replay');
}
