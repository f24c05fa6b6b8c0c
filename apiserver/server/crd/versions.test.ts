import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { MERGE, testServer } from '../testing.ts';

const V1: JsonObject = { properties: { only1: { type: 'string' }, filled: { type: 'string', default: 'by v1' } } };
const V2: JsonObject = { properties: { only2: { type: 'string' }, other: { type: 'string', default: 'by v2' } } };

const gizmos = (storage: 'v1' | 'v2'): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gizmos.example.com' },
  spec: {
    group: 'example.com',
    names: { plural: 'gizmos', kind: 'Gizmo' },
    scope: 'Namespaced',
    versions: [
      ['v1', V1],
      ['v2', V2],
    ].map(([name, spec]) => ({
      name: name as string,
      served: true,
      storage: name === storage,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: (spec as JsonObject)['properties'] as JsonObject } },
        },
      },
    })),
  },
});

const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/gizmos`;
const gizmo = (version: string, spec: JsonObject): JsonObject => ({
  apiVersion: `example.com/${version}`,
  kind: 'Gizmo',
  metadata: { name: 'a' },
  spec,
});

function server(): ReturnType<typeof testServer> {
  const made = testServer({ widgets: false });
  made.request('POST', CRDS_PATH, gizmos('v1'));
  return made;
}

describe('an object of a definition with several versions and conversion strategy None', () => {
  it('is read as the schema of the stored version defines', () => {
    const { request } = server();

    const created = request('POST', path('v2'), gizmo('v2', { only2: 'x' }));

    // The object is stored as v1, which has neither field; v2 does not have the field that v1 defaults.
    expect(created.object).toMatchObject({ apiVersion: 'example.com/v2', spec: {} });
    expect(created.object['spec']).toEqual({});
    expect(request('GET', `${path('v1')}/a`).object['spec']).toEqual({ filled: 'by v1' });
    expect(request('GET', `${path('v2')}/a`).object['spec']).toEqual({});
  });

  it('is not defaulted by the version that it is read in', () => {
    const { request, watch } = server();
    const events = watch(path('v2'), {}).events;

    request('POST', path('v1'), gizmo('v1', { only1: 'x' }));

    expect(request('GET', `${path('v2')}/a`).object['spec']).toEqual({});
    expect(events[0]?.object).toHaveProperty('spec', {});
    // A write in v2 drops the fields that v2 does not have.
    request('PATCH', `${path('v2')}/a`, { metadata: { labels: { a: 'b' } } }, MERGE);
    expect(request('GET', `${path('v1')}/a`).object['spec']).toEqual({ filled: 'by v1' });
  });

  it('is read by the schema of its stored version, even when the storage version has changed', () => {
    const { request } = server();
    request('POST', path('v1'), gizmo('v1', { only1: 'x' }));
    const stored = request('GET', `${CRDS_PATH}/gizmos.example.com`).object;

    const changed = request('PUT', `${CRDS_PATH}/gizmos.example.com`, {
      ...gizmos('v2'),
      metadata: stored.metadata as unknown as JsonObject,
    });

    expect(changed.code).toBe(200);
    expect(request('GET', `${path('v1')}/a`).object['spec']).toEqual({ only1: 'x', filled: 'by v1' });
    expect(request('GET', `${path('v2')}/a`).object['spec']).toEqual({});
    request('PATCH', `${path('v2')}/a`, { spec: { only2: 'y' } }, MERGE);
    expect(request('GET', `${path('v2')}/a`).object['spec']).toEqual({ only2: 'y', other: 'by v2' });
    expect(request('GET', `${path('v1')}/a`).object['spec']).toEqual({});
  });
});

it('warns of a deprecated version with the version to use instead', () => {
  const { request } = testServer({ widgets: false });
  const crd = gizmos('v2');
  const spec = crd['spec'] as { readonly versions: readonly JsonObject[] };
  const versions = spec.versions.map((one) => (one['name'] === 'v1' ? { ...one, deprecated: true } : one));
  request('POST', CRDS_PATH, { ...crd, spec: { ...spec, versions } });

  const answer = request('GET', path('v1'));

  expect(answer.headers?.['warning']).toEqual('299 - "example.com/v1 Gizmo is deprecated; use example.com/v2 Gizmo"');
});

it('stores the default of a status with the first change, though it reads with it at once', () => {
  const { request } = testServer({ widgets: false });
  const crd = gizmos('v1');
  const [first = {}] = (crd['spec'] as { readonly versions: readonly JsonObject[] }).versions;
  const status = { type: 'object', default: { seen: -1 }, properties: { seen: { type: 'integer' } } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { status } } };
  const versions = [{ ...first, schema, subresources: { status: {} } }];
  request('POST', CRDS_PATH, { ...crd, spec: { ...(crd['spec'] as JsonObject), versions } });

  const created = request('POST', path('v1'), gizmo('v1', {}));
  const patched = request('PATCH', `${path('v1')}/a`, {}, MERGE);
  const again = request('PATCH', `${path('v1')}/a`, {}, MERGE);

  const version = ({ object }: typeof created) => object.metadata.resourceVersion;
  expect(created.object['status']).toEqual({ seen: -1 });
  expect(version(patched)).not.toBe(version(created));
  expect(version(again)).toBe(version(patched));
});

it('validates nulls from an apply, also in fields called metadata', () => {
  const { request } = testServer({ widgets: false });
  const crd = gizmos('v1');
  const [first = {}] = (crd['spec'] as { readonly versions: readonly JsonObject[] }).versions;
  const template = { type: 'object', properties: { metadata: { type: 'object' } } };
  const spec = { type: 'object', properties: { template } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  request('POST', CRDS_PATH, { ...crd, spec: { ...(crd['spec'] as JsonObject), versions: [{ ...first, schema }] } });
  const apply = { query: { fieldManager: 'm' }, headers: { 'content-type': 'application/apply-patch+yaml' } };

  const answer = request('PATCH', `${path('v1')}/a`, gizmo('v1', { template: { metadata: null } }), apply);

  expect(answer).toMatchObject({ code: 422, body: { details: { causes: [{ field: 'spec.template.metadata' }] } } });
});
