import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadTarget } from './load-target.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stalemate-target-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(path: string, text: string): Promise<string> {
  const absolute = join(folder, path);
  await mkdir(dirname(absolute), { recursive: true });
  await writeFile(absolute, text);
  return absolute;
}

function clientNodeOf(version: string): { readonly [path: string]: string } {
  return {
    'package.json': JSON.stringify({ name: '@kubernetes/client-node', version, type: 'module', main: 'index.js' }),
    'index.js': `export const marker = 'client-node ${version}';`,
  };
}

async function project(name: string, clientNode: string, target: string): Promise<string> {
  for (const [path, text] of Object.entries(clientNodeOf(clientNode))) {
    await file(`${name}/node_modules/@kubernetes/client-node/${path}`, text);
  }
  return file(`${name}/target.mjs`, target);
}

it('loads a target together with the client-node that it imports itself', async () => {
  const path = await project('good', '2.3.4', 'export default function start() { return { stop() {} }; }');

  const target = await loadTarget(path);

  expect(target.module).toBe(path);
  expect(target.clientNode).toMatchObject({ marker: 'client-node 2.3.4' });
  expect(target.start({} as Parameters<typeof target.start>[0])).toHaveProperty('stop');
});

it('uses our own client-node for a target that has none in reach', async () => {
  const path = await file('alone/target.mjs', 'export default () => {};');

  const { clientNode } = await loadTarget(path);

  expect(clientNode.KubeConfig).toBeTypeOf('function');
});

it('refuses client-node 1.x and says why', async () => {
  const path = await project('old', '1.4.0', 'export default () => {};');

  await expect(loadTarget(path)).rejects.toMatchObject({
    code: 'TARGET_INVALID',
    message: expect.stringMatching(/client-node 1\.4\.0, expected 2\.x: .*node-fetch/) as string,
    details: { version: '1.4.0' },
  });
});

it('refuses what is no file, without opening it', async () => {
  spawnSync('mkfifo', [join(folder, 'pipe.mjs')]);

  await expect(loadTarget(join(folder, 'pipe.mjs'))).rejects.toMatchObject({
    code: 'TARGET_INVALID',
    message: expect.stringContaining('is a named pipe') as string,
  });
  await expect(loadTarget(folder)).rejects.toMatchObject({ message: expect.stringContaining('is a folder') as string });
});

it.each([
  ['no such file', 'missing.mjs', undefined, /there is no target module at ".*missing\.mjs"/],
  [
    'no default export',
    'nameless.mjs',
    'export const start = () => {};',
    /has no default export: expected "export default/,
  ],
  ['a default export that is no function', 'object.mjs', 'export default {};', /exports a object as default/],
  [
    'syntax of a module that it imports, and says where it is as Node does',
    'syntax.mjs',
    "throw Object.assign(new SyntaxError('no enums'), { stack: 'file:///parts/part.ts:9\\n\\nenum' });",
    /cannot be imported: no enums \(.*parts\/part\.ts:9\); /,
  ],
  ['a module that throws', 'throws.mjs', 'throw new Error("broken at birth");', /cannot be imported: broken at birth/],
])('refuses %s', async (_case, name, text, message) => {
  const path = text === undefined ? join(folder, name) : await file(name, text);

  await expect(loadTarget(path)).rejects.toMatchObject({
    code: 'TARGET_INVALID',
    exitCode: 2,
    message: expect.stringMatching(message) as string,
  });
});
