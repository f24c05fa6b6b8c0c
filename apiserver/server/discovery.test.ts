import { expect, it } from 'vitest';
import type { JsonObject } from '../objects/object.ts';
import { versionOrder } from './discovery.ts';
import { testServer } from './testing.ts';

const AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function aggregated(path: string): { readonly headers: string; readonly items: readonly JsonObject[] } {
  const answer = testServer().request('GET', path, undefined, { headers: { accept: AGGREGATED } });
  return {
    headers: answer.headers?.['content-type'] ?? '',
    items: (answer.object as JsonObject)['items'] as readonly JsonObject[],
  };
}

it('answers aggregated discovery when asked, and sets its content type (1)', () => {
  const core = aggregated('/api');
  const groups = aggregated('/apis');

  expect(core.headers).toContain(';g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
  expect(core.items).toMatchObject([{ metadata: {}, versions: [{ version: 'v1' }] }]);
  expect(groups.items.find((one) => (one['metadata'] as JsonObject)['name'] === 'example.com')).toMatchObject({
    versions: [
      {
        version: 'v1',
        resources: [
          {
            resource: 'widgets',
            responseKind: { group: 'example.com', version: 'v1', kind: 'Widget' },
            scope: 'Namespaced',
            singularResource: 'widget',
            shortNames: ['wd'],
            subresources: [{ subresource: 'status' }, { subresource: 'scale' }],
          },
        ],
      },
      { version: 'v1beta1' },
    ],
  });
});

it('falls back to plain discovery when only the beta is asked for (2)', () => {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

  expect(testServer().request('GET', '/apis', undefined, { headers: { accept } }).body).toMatchObject({
    kind: 'APIGroupList',
  });
});

it('lists groups, a group and its resources in the plain form (4, 5)', () => {
  const { request } = testServer();

  expect(request('GET', '/api').body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  expect(request('GET', '/apis/example.com').body).toMatchObject({
    kind: 'APIGroup',
    name: 'example.com',
    preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
  });
  const resources = (request('GET', '/apis/example.com/v1').object as JsonObject)['resources'] as readonly JsonObject[];
  expect(resources.map((one) => one['name'])).toEqual(['widgets', 'widgets/status', 'widgets/scale']);
  for (const one of resources)
    expect(Object.keys(one)).toEqual(expect.arrayContaining(['singularName', 'namespaced', 'kind', 'verbs']));
  expect(request('GET', '/api/v1').body).toMatchObject({ groupVersion: 'v1' });
});

it('answers unknown groups and paths with a plain-text 404 (8)', () => {
  const { request } = testServer();

  expect(request('GET', '/apis/none.example.com/v1')).toMatchObject({
    code: 404,
    plainText: true,
    body: '404 page not found\n',
  });
  expect(request('GET', '/metrics').code).toBe(404);
});

it('serves /version and health checks (9, 10)', () => {
  const { request } = testServer();

  expect(request('GET', '/version').body).toMatchObject({ major: '1', minor: '36' });
  for (const path of ['/healthz', '/livez', '/readyz'])
    expect(request('GET', path)).toMatchObject({ code: 200, body: 'ok', plainText: true });
  expect(request('GET', '/readyz?verbose').body).toContain('readyz check passed');
});

it('documents fieldValidation of every kind for kubectl (11)', () => {
  const { request } = testServer();
  const index = (request('GET', '/openapi/v3').object as JsonObject)['paths'] as { [path: string]: JsonObject };

  expect(index['apis/example.com/v1']?.['serverRelativeURL']).toContain('/openapi/v3/apis/example.com/v1?hash=');
  expect(JSON.parse(request('GET', '/openapi/v3/apis/example.com/v1').body as string)).toMatchObject({
    paths: {
      '/apis/example.com/v1/namespaces/{namespace}/widgets/{name}': {
        patch: {
          'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v1', kind: 'Widget' },
          parameters: expect.arrayContaining([
            expect.objectContaining({ name: 'fieldValidation', in: 'query' }),
          ]) as unknown,
        },
      },
    },
  });
});

it('orders versions as Kubernetes does (7)', () => {
  expect(['v1beta1', 'v1alpha1', 'v2', 'v1', 'foo', 'v1beta2'].sort(versionOrder)).toEqual([
    'v2',
    'v1',
    'v1beta2',
    'v1beta1',
    'v1alpha1',
    'foo',
  ]);
});

it('allows everything in access reviews without authorization (55)', () => {
  const ASKING = { spec: { resourceAttributes: { verb: 'list', resource: 'pods' } } };
  const { request } = testServer();

  expect(request('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', ASKING)).toMatchObject({
    code: 201,
    body: { kind: 'SelfSubjectAccessReview', status: { allowed: true } },
  });
  expect(request('GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews').code).toBe(405);
});

it('serves one event in both groups (130)', () => {
  const { request } = testServer();
  request('POST', '/api/v1/namespaces/default/events', {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod', name: 'p' },
    message: 'hello',
  });

  expect(request('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e').object).toMatchObject({
    apiVersion: 'events.k8s.io/v1',
    regarding: { kind: 'Pod', name: 'p' },
    note: 'hello',
  });
});
