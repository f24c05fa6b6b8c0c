import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { testServer, widgets } from '../testing.ts';
import { builtInHashes } from './data.ts';

describe('OpenAPI v3', () => {
  it('serves the documents of built-in groups byte for byte as a real server does (11)', () => {
    const { request } = testServer();

    for (const path of ['api/v1', 'apis/apps/v1', 'apis/autoscaling/v2', 'version', 'openid/v1/jwks']) {
      const text = request('GET', `/openapi/v3/${path}`).body as string;

      expect(createHash('sha512').update(text).digest('hex').toUpperCase()).toBe(builtInHashes()[path]);
    }
  });

  it("puts a document's hash into its URL, redirects other hashes and answers 304 (11)", () => {
    const { request } = testServer();
    const hash = builtInHashes()['apis/apps/v1'] ?? '';
    const path = '/openapi/v3/apis/apps/v1';

    expect(request('GET', '/openapi/v3').body).toMatchObject({
      paths: { 'apis/apps/v1': { serverRelativeURL: `${path}?hash=${hash}` } },
    });
    expect(request('GET', path, undefined, { query: { hash: 'OLD' } })).toMatchObject({
      code: 301,
      headers: { location: `${path}?hash=${hash}` },
    });
    expect(request('GET', path, undefined, { query: { hash } }).headers).toMatchObject({
      'cache-control': 'public, immutable',
      etag: `"${hash}"`,
      vary: 'Accept',
    });
    expect(request('GET', path, undefined, { headers: { 'if-none-match': `"${hash}"` } }).code).toBe(304);
    const etag = request('GET', '/openapi/v3').headers?.['etag'] ?? '';
    expect(request('GET', '/openapi/v3', undefined, { headers: { 'if-none-match': etag } }).code).toBe(304);
  });

  it('publishes custom resources with their schema and paths (11)', () => {
    const { request } = testServer();
    const document = JSON.parse(request('GET', '/openapi/v3/apis/example.com/v1').body as string) as {
      readonly paths: { readonly [path: string]: { readonly patch?: object } };
      readonly components: { readonly schemas: { readonly [name: string]: object } };
    };

    expect(Object.keys(document.paths)).toContain('/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status');
    expect(document.paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}']?.patch).toMatchObject({
      'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v1', kind: 'Widget' },
    });
    expect(document.components.schemas['com.example.v1.Widget']).toMatchObject({
      properties: { spec: { properties: { size: { type: 'integer' } } }, metadata: { allOf: [{}] } },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    expect(JSON.stringify(document)).not.toMatch(/kkkkk|ppppp|ggggg/i);
  });
});

it('leaves out properties of free-form objects in OpenAPI v2 (12)', () => {
  const { request, server } = testServer({ widgets: false });
  const preserving = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const spec = {
    type: 'object',
    required: ['free', 'empty'],
    properties: {
      free: { ...preserving, properties: { x: { type: 'string' } }, description: 'd' },
      empty: { type: 'object', nullable: true, properties: { x: { type: 'string' } } },
      held: { ...preserving, 'x-kubernetes-embedded-resource': true },
    },
  };
  const definition = widgets({}) as unknown as {
    readonly spec: { readonly versions: { schema: JsonObject; selectableFields?: unknown }[] };
  };
  const [first, second] = definition.spec.versions;
  if (first === undefined || second === undefined) throw new Error('two versions are needed');
  first.schema = { openAPIV3Schema: { ...preserving, properties: { spec } } };
  second.schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  for (const version of [first, second]) delete version.selectableFields;
  server.installCrd(definition as unknown as KubeObject);

  const { definitions } = JSON.parse(request('GET', '/openapi/v2').body as string) as {
    readonly definitions: { readonly [name: string]: JsonObject };
  };

  const gvk = [{ group: 'example.com', kind: 'Widget', version: 'v1' }];
  expect(definitions['com.example.v1.Widget']).toMatchObject({
    type: 'object',
    'x-kubernetes-group-version-kind': gvk,
  });
  expect(definitions['com.example.v1.Widget']).not.toHaveProperty('properties');
  expect(definitions['com.example.v1beta1.Widget']).toMatchObject({
    properties: {
      spec: {
        type: 'object',
        required: ['free'],
        properties: {
          free: { 'x-kubernetes-preserve-unknown-fields': true, description: 'd' },
          empty: {},
          held: { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true },
        },
      },
    },
  });
  expect(definitions['com.example.v1beta1.Widget']).toHaveProperty('properties.spec.properties.empty', {});
});

it('adds custom resources to OpenAPI v2 (12)', () => {
  const { request } = testServer();
  const document = JSON.parse(request('GET', '/openapi/v2').body as string) as {
    readonly definitions: { readonly [name: string]: object };
  };

  expect(document.definitions['com.example.v1.Widget']).toMatchObject({
    properties: { metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' } },
  });
  expect(document.definitions['io.k8s.api.apps.v1.Deployment']).toBeDefined();
});
