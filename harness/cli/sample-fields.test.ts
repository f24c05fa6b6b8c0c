import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadCrds } from '../execution/project/manifests.ts';
import { unknownFields } from './sample-fields.ts';

const crds = loadCrds([fileURLToPath(new URL('../test/targets/crd.yaml', import.meta.url))]);

it('names each field that the kind of a sample does not have, custom or built in', () => {
  const widget = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'a', lables: {} },
    spec: { sise: 1 },
  };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { replcias: 1 } };

  expect(unknownFields([widget, deployment], crds)).toEqual([
    expect.stringContaining(
      'Widget a has the fields "metadata.lables", "spec.sise", which example.com/v1 does not know',
    ),
    expect.stringContaining('Deployment d has the field "spec.replcias", which apps/v1 does not know'),
  ]);
});

it('says nothing of what is right, of what is wrong otherwise, or of kinds that nobody knows', () => {
  const plain = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c', namespace: 'elsewhere' },
    data: { a: 'b' },
  };
  const wrong = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'UPPER' }, data: { a: 1 } };
  const unknown = { apiVersion: 'example.com/v9', kind: 'Other', metadata: { name: 'o' } };

  expect(unknownFields([plain, wrong, unknown], crds)).toEqual([]);
});
