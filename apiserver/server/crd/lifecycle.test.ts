import { expect, it } from 'vitest';
import { ApiServerError } from '../../objects/errors.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { MERGE, testServer, widget, WIDGETS, widgets, WIDGETS_PATH } from '../testing.ts';
import { CRDS } from './status.ts';

const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CRD_PATH = `${CRDS_PATH}/widgets.example.com`;

it('accepts the names of a definition, then establishes and serves it (117)', () => {
  const { request, watch, server } = testServer({ widgets: false });
  const open = watch(CRDS_PATH, { resourceVersion: String(server.revision) });
  expect(request('GET', WIDGETS_PATH).code).toBe(404);

  const created = request('POST', CRDS_PATH, WIDGETS);

  expect(created.object['status']).toEqual({
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: ['v1'],
  });
  expect(open.lines).toEqual([
    'ADDED widgets.example.com@5',
    'MODIFIED widgets.example.com@6',
    'MODIFIED widgets.example.com@7',
  ]);
  expect(open.events[1]?.object).toMatchObject({
    status: { conditions: [{ type: 'NamesAccepted' }, { status: 'False', reason: 'Installing' }] },
  });
  expect(request('GET', CRD_PATH).object).toMatchObject({
    status: {
      acceptedNames: { plural: 'widgets', kind: 'Widget' },
      conditions: [
        { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
      ],
    },
  });
  expect(request('GET', WIDGETS_PATH).code).toBe(200);
});

it('sets the approval condition of a definition in a protected group (117)', () => {
  const { request } = testServer({ widgets: false });
  const metadata = (value: string): JsonObject => ({
    name: 'widgets.example.k8s.io',
    annotations: { 'api-approved.kubernetes.io': value },
  });
  const spec = { ...(WIDGETS['spec'] as JsonObject), group: 'example.k8s.io' };
  const path = `${CRDS_PATH}/widgets.example.k8s.io`;
  const conformant = (): JsonObject | undefined =>
    (request('GET', path).object['status'] as { readonly conditions: readonly JsonObject[] }).conditions.find(
      ({ type }) => type === 'KubernetesAPIApprovalPolicyConformant',
    );

  expect(request('POST', CRDS_PATH, { ...WIDGETS, metadata: metadata('https://example.com/1'), spec }).code).toBe(201);

  expect(conformant()).toMatchObject({
    status: 'True',
    reason: 'ApprovedAnnotation',
    message: 'approved in https://example.com/1',
  });
  request('PATCH', path, { metadata: metadata('unapproved, experiment') }, MERGE);
  expect(conformant()).toMatchObject({
    status: 'False',
    reason: 'UnapprovedAnnotation',
    message: 'not approved: "unapproved, experiment"',
  });
});

it('does not serve a definition with conflicting names (117)', () => {
  const { request, server } = testServer();
  const spec = WIDGETS['spec'] as JsonObject;
  const names = { ...(spec['names'] as JsonObject), plural: 'gadgets', singular: 'gadget', shortNames: [] };

  request('POST', CRDS_PATH, { ...WIDGETS, metadata: { name: 'gadgets.example.com' }, spec: { ...spec, names } });

  expect(server.object(CRDS, '', 'gadgets.example.com')).toMatchObject({
    status: {
      conditions: [
        { status: 'False', reason: 'ListKindConflict', message: '"WidgetList" is already in use' },
        { status: 'False', reason: 'NotAccepted' },
      ],
    },
  });
  expect(request('GET', '/apis/example.com/v1/gadgets').code).toBe(404);
});

it('is deleted with all instances and waits for those with finalizers (120)', () => {
  const { request, server } = testServer();
  request('POST', WIDGETS_PATH, widget('a'));
  request('POST', WIDGETS_PATH, widget('held', {}, { finalizers: ['example.com/hold'] }));

  request('DELETE', CRD_PATH);

  expect(server.objects('widgets.example.com')).toHaveLength(1);
  expect(request('POST', WIDGETS_PATH, widget('b'))).toMatchObject({
    code: 403,
    body: {
      message:
        'widgets.example.com "b" is forbidden: create not allowed while custom resource definition is terminating',
    },
  });
  request('PATCH', `${WIDGETS_PATH}/held`, { metadata: { finalizers: null } }, MERGE);
  expect(request('GET', CRD_PATH).code).toBe(404);
  expect(request('GET', WIDGETS_PATH).code).toBe(404);
});

it('ends the watches of its resource when its spec changes (97)', () => {
  const { request, watch } = testServer();
  const open = watch(WIDGETS_PATH);
  const live = request('GET', CRD_PATH).object;
  const names = (live['spec'] as JsonObject)['names'] as JsonObject;

  request('PUT', CRD_PATH, { ...live, metadata: { ...live.metadata, labels: { a: 'b' } } });
  expect(open.ended).toBe(false);
  request('PATCH', CRD_PATH, { spec: { names: { ...names, shortNames: ['wi'] } } }, MERGE);
  expect(open.ended).toBe(true);
});

it('serves every version and rewrites only apiVersion between them (121)', () => {
  const { request, server } = testServer();
  const beta = '/apis/example.com/v1beta1/namespaces/default/widgets';

  const made = request('POST', beta, { ...widget('a'), apiVersion: 'example.com/v1beta1' });

  expect(made.object.apiVersion).toBe('example.com/v1beta1');
  expect(server.object('widgets.example.com', 'default', 'a')?.apiVersion).toBe('example.com/v1');
  expect(request('GET', `${WIDGETS_PATH}/a`).object.apiVersion).toBe('example.com/v1');
  expect(request('GET', `${beta}/a`).object).toBe(request('GET', `${beta}/a`).object);
});

it('reads stored objects by the current schema, without a write (122, 123)', () => {
  const { request, server } = testServer();
  request('POST', WIDGETS_PATH, widget('a', { size: 1, note: 'old' }));
  const versions = JSON.parse(JSON.stringify((WIDGETS['spec'] as JsonObject)['versions'])) as {
    schema: { openAPIV3Schema: { properties: { spec: { properties: { [name: string]: JsonObject } } } } };
  }[];
  for (const { schema } of versions) {
    const { properties } = schema.openAPIV3Schema.properties.spec;
    delete properties['note'];
    properties['added'] = { type: 'string', default: 'later' };
  }

  request('PATCH', CRD_PATH, { spec: { versions } as unknown as JsonObject }, MERGE);
  const before = server.revision;
  const { object } = request('GET', `${WIDGETS_PATH}/a`);

  expect(object['spec']).toEqual({ size: 1, colour: 'red', added: 'later' });
  expect(object.metadata.resourceVersion).toBe('7');
  expect(server.revision).toBe(before);
});

it('fills in a default of the whole status that a create drops (123)', () => {
  const { request, server } = testServer({ widgets: false });
  const crd = JSON.parse(JSON.stringify(WIDGETS)) as {
    spec: { versions: { schema: { openAPIV3Schema: { properties: { status: JsonObject } } } }[] };
  };
  for (const { schema } of crd.spec.versions) {
    const { properties } = schema.openAPIV3Schema;
    properties.status = { ...properties.status, default: { phase: 'Unknown' } };
  }
  server.installCrd(crd as unknown as KubeObject);

  const created = request('POST', WIDGETS_PATH, { ...widget('a'), status: { phase: 'Sent' } });
  const shown = request('GET', `${WIDGETS_PATH}/a`);

  expect(created.object['status']).toEqual({ phase: 'Unknown' });
  expect(shown.object).toEqual(created.object);
});

it('counts status changes as generations when there is no status subresource (43, 49)', () => {
  const { request, server } = testServer({ widgets: false });
  server.installCrd(widgets({}));
  request('POST', WIDGETS_PATH, { ...widget('a'), status: { phase: 'New' } });

  const answer = request('PATCH', `${WIDGETS_PATH}/a`, { status: { phase: 'Old' } }, MERGE);

  expect(answer.object).toMatchObject({ metadata: { generation: 2 }, status: { phase: 'Old' } });
  expect(request('GET', `${WIDGETS_PATH}/a/status`)).toMatchObject({
    code: 404,
    body: { message: 'widgets.example.com "a" not found' },
  });
});

it('explains why a definition cannot be installed (119)', () => {
  const { server } = testServer({ widgets: false });
  const bare: KubeObject = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'wrong' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };

  const install = (): void => server.installCrd(bare);

  expect(install).toThrow(ApiServerError);
  expect(install).toThrow('must be spec.names.plural+"."+spec.group');
  expect(install).toThrow('spec.versions[0].schema.openAPIV3Schema: Required value');
});

it('warns of unknown fields, and refuses them under strict validation (113)', () => {
  const { request } = testServer();

  const warned = request('POST', WIDGETS_PATH, widget('a', { sise: 1 }));
  const strict = request('POST', `${WIDGETS_PATH}?fieldValidation=Strict`, widget('b', { sise: 1 }));

  expect(warned.headers?.['warning']).toBe('299 - "unknown field \\"spec.sise\\""');
  expect(warned.object['spec']).toEqual({ colour: 'red' });
  expect(strict).toMatchObject({ code: 400 });
  expect(strict.object['message']).toContain('strict decoding error: unknown field "spec.sise"');
});
