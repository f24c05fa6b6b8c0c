import type { JsonObject } from 'stalemate-apiserver/objects/object';
import { expect, it } from 'vitest';
import { withWholeConditions } from './schema-view.ts';

const crd = (...statuses: readonly (JsonObject | undefined)[]): JsonObject => ({
  group: 'example.com',
  versions: statuses.map((status, at) => ({
    name: `v${at + 1}`,
    ...(status === undefined ? {} : { schema: { openAPIV3Schema: { properties: { status } } } }),
  })),
});
const list = (type?: string): JsonObject => ({
  properties: { conditions: { type: 'array', ...(type === undefined ? {} : { 'x-kubernetes-list-type': type }) } },
});

it.each([
  ['declares nothing', [list()], true],
  ['declares the list atomic', [list('atomic')], true],
  ['declares keys', [list('map')], false],
  ['declares keys in one of two versions', [list(), list('map')], false],
  ['has no schema', [undefined], true],
  ['keeps unknown fields', [{ 'x-kubernetes-preserve-unknown-fields': true }], true],
])('takes conditions for one value where the CRD %s', (_, statuses, whole) => {
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: crd(...statuses),
  };

  expect(withWholeConditions([object])).toEqual(whole ? ['widgets.example.com'] : []);
});
