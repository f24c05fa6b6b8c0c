import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { definitionsOf, modulesAround, originsOf } from './origins.ts';

const hasGo = spawnSync('go', ['version']).status === 0;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stalemate-origins-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

it.skipIf(!hasGo)('finds the module that a program has the types of a group from (needs go)', () => {
  put(
    'go.mod',
    'module example.com/op\n\ngo 1.21\n\nrequire example.com/source/api v1.2.3\n\nreplace example.com/source/api => ./source\n',
  );
  put('cmd/main.go', 'package main\n\nimport _ "example.com/source/api/v1"\n\nfunc main() {}\n');
  put('source/go.mod', 'module example.com/source/api\n\ngo 1.21\n');
  put('source/v1/groupversion_info.go', 'package v1\n\nconst Group = "source.example.com"\n');

  const origins = originsOf(['source.example.com', 'unknown.example.com'], './cmd', folder);

  expect([...origins]).toEqual([
    [
      'source.example.com',
      { path: 'example.com/source/api', version: 'v1.2.3', folder: expect.stringMatching(/\/source$/) as string },
    ],
  ]);
});

it('takes the CRDs of the group alone from the module of its types', () => {
  const crd = (group: string): string =>
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `buckets.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'buckets', kind: 'Bucket' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
  put('config/crd/bases/a.yaml', crd('source.example.com'));
  put('config/crd/bases/b.yaml', crd('other.example.com'));
  const origin = { path: 'example.com/source', version: 'v1.2.3', folder };

  const found = definitionsOf('source.example.com', origin);

  expect(found?.crds.map(({ metadata }) => metadata.name)).toEqual(['buckets.source.example.com']);
  expect(found?.module).toBe(origin);
});

it('looks for them in the modules around it, at the same version', () => {
  const around = (path: string, version: string): readonly string[] =>
    modulesAround({ path, version, folder: '' }).map((module) => `${module.path}@${module.version}`);

  expect(around('github.com/a/source/api', 'v1.2.3')).toEqual(['github.com/a/source@v1.2.3', 'github.com/a@v1.2.3']);
  expect(around('example.com/source/api/v2', 'v2.0.1')).toEqual([
    'example.com/source/api@v2.0.1',
    'example.com/source/v2@v2.0.1',
    'example.com/source@v2.0.1',
  ]);
});
