import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { sampleCandidates } from './samples.ts';

const version = (name: string, storage: boolean): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  },
});

const CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'tenants.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'tenants', singular: 'tenant', kind: 'Tenant', listKind: 'TenantList' },
    versions: [version('v1beta1', false), version('v1', true)],
    conversion: {
      strategy: 'Webhook',
      webhook: {
        clientConfig: { service: { namespace: 'system', name: 'webhook', path: '/convert' } },
        conversionReviewVersions: ['v1'],
      },
    },
  },
};

it('takes a sample of a version that only the webhook of the running target converts', () => {
  const file = 'config/samples/tenant.yaml';
  const tenant = {
    apiVersion: 'example.com/v1beta1',
    kind: 'Tenant',
    metadata: { name: 'gas' },
    spec: { size: 1 },
  };
  const repository = { files: [file], text: () => stringify(tenant), exists: () => true };

  expect(sampleCandidates(repository, [CRD])).toMatchObject([{ file, kinds: ['Tenant'], whole: true }]);
});
