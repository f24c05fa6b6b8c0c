import { expect, it } from 'vitest';
import { missingInLog, neededFiles } from './needed-files.ts';
import { repositoryOf } from './repository.ts';

const object = (kind: string, name: string, namespace = 'op'): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n`;
const missing = (name: string, resource = 'configmaps'): { resource: string; namespace: string; name: string } => ({
  ...{ resource, namespace: 'op', name },
});

it('finds the file with a ConfigMap that is missing, best beside the manifests', () => {
  const repository = repositoryOf({
    'a/logging.yaml': object('ConfigMap', 'logging'),
    'config/logging.yaml': object('ConfigMap', 'logging'),
    'config/other.yaml': object('ConfigMap', 'logging', 'elsewhere'),
    'config/token.yaml': object('Secret', 'token'),
  });
  const wanted = [missing('logging'), missing('token', 'secrets'), missing('nowhere'), missing('logging', 'pods')];

  expect(neededFiles(repository, wanted, ['config/manager.yaml'])).toEqual([
    'config/logging.yaml',
    'config/token.yaml',
  ]);
});

it('takes no file with something else in it, none of tests, and none that is installed already', () => {
  const repository = repositoryOf({
    'config/both.yaml': `${object('ConfigMap', 'one')}---\n${object('Service', 'one')}`,
    'test/two.yaml': object('ConfigMap', 'two'),
    'config/three.yaml': object('ConfigMap', 'three'),
  });

  expect(
    neededFiles(
      repository,
      ['one', 'two', 'three'].map((name) => missing(name)),
      ['config/three.yaml'],
    ),
  ).toEqual([]);
});

it('knows what a log says is missing', () => {
  const lines = [
    '{"msg":"failed","error":"configmap \\"mapping\\" not found"}',
    'secrets "token" not found',
    'not found',
  ];

  expect(missingInLog(lines)).toEqual([
    { resource: 'configmaps', namespace: '', name: 'mapping' },
    { resource: 'secrets', namespace: '', name: 'token' },
  ]);
  expect(
    neededFiles(repositoryOf({ 'config/m.yaml': object('ConfigMap', 'mapping') }), missingInLog(lines), []),
  ).toEqual(['config/m.yaml']);
});
