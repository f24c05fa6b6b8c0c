/** `init` in an untrusted repository: it runs no code of the repository and writes nothing outside of it. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { namesRemoteBase } from './kustomizations.ts';
import { pythonOf } from './prepare.ts';
import { readRepository, repositoryOf } from './repository.ts';
import { writePlan } from './write.ts';

let folder: string;
let project: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-strangers-'));
  project = join(folder, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.runIf(spawnSync('python3', ['--version']).status === 0)(
  'imports no module of the project to find the interpreter that has one',
  () => {
    writeFileSync(join(project, 'kopf.py'), `open(${JSON.stringify(join(folder, 'was-here'))}, "w")\n`);

    pythonOf(project, 'kopf');

    expect(existsSync(join(folder, 'was-here'))).toBe(false);
  },
);

it('reads nothing outside of the project', () => {
  writeFileSync(join(folder, 'secret.yaml'), 'token: abc\n');
  symlinkSync('../secret.yaml', join(project, 'crd.yaml'));
  writeFileSync(join(project, 'sample.yaml'), 'kind: A\n');
  symlinkSync('sample.yaml', join(project, 'other.yaml'));

  const { files, text } = readRepository(project);

  expect(files.map((file) => [file, text(file)])).toEqual([
    ['crd.yaml', ''],
    ['other.yaml', 'kind: A\n'],
    ['sample.yaml', 'kind: A\n'],
  ]);
});

it.each([
  ['resources:\n- ../base\n- manager.yaml\n', false],
  ['resources: [crd, rbac]\n# see https://kustomize.io\n', false],
  ['images:\n- name: controller\n  newName: ghcr.io/a/b\n', false],
  ['resources:\n- https://example.com/base.yaml\n', true],
  ['resources:\n- github.com/owner/repository//config?ref=v1\n', true],
  ['bases: ["git@example.com:owner/repository.git"]\n', true],
  ['components:\n- ssh://git@example.com/owner/repository\n', true],
  ['resources:\n- example.com/owner/repository.git//config\n', true],
  ['resources: [', true],
])('does not render %j, where that asks the network', (text, remote) => {
  expect(namesRemoteBase(repositoryOf({ 'config/default/kustomization.yaml': text }), 'config/default')).toBe(remote);
});

it.each([
  ['a file', '.gitignore', 'extend', 'notes.txt'],
  ['a new file', 'stalemate.config.yaml', 'write', 'new.yaml'],
  ['a file that may be replaced', 'stalemate.config.yaml', 'replace', 'notes.txt'],
] as const)('writes through no link in place of %s', (_, path, does, to) => {
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  symlinkSync(join(folder, to), join(project, path));

  expect(() => writePlan([{ path, text: 'theirs', does }], { cwd: project, called: 'stalemate' })).toThrow(
    `"${path}" leads out of the project`,
  );
  expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine');
  expect(readdirSync(folder).toSorted()).toEqual(['notes.txt', 'project']);
});

it('makes no folder through a link, and writes through those that stay inside', () => {
  symlinkSync(folder, join(project, '.github'));
  mkdirSync(join(project, 'ci'));
  symlinkSync('ci', join(project, 'jobs'));
  const write = (path: string): void =>
    writePlan([{ path, text: 'a', does: 'write' }], { cwd: project, called: 'stalemate' });

  expect(() => write('.github/workflows/stalemate.yml')).toThrow('leads out of the project');
  expect(readdirSync(folder)).toEqual(['project']);
  write('jobs/new/stalemate.yml');
  expect(readFileSync(join(project, 'ci/new/stalemate.yml'), 'utf8')).toBe('a');
});
