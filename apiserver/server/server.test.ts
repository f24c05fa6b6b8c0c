import { expect, it } from 'vitest';
import type { JsonObject } from '../objects/object.ts';
import {
  CONFIGMAPS_PATH,
  configMap,
  MERGE,
  testServer,
  widget,
  WIDGETS,
  WIDGETS_PATH,
  type TestServer,
} from './testing.ts';

it('creates, reads, updates, patches and deletes a custom resource (24, 30, 33, 60, 74, 84)', () => {
  const { request, server } = testServer();

  const created = request('POST', WIDGETS_PATH, widget('a'));
  expect(created.code).toBe(201);
  expect(created.object.metadata).toMatchObject({ name: 'a', namespace: 'default', generation: 1 });
  expect(created.object).toMatchObject({ spec: { size: 1, colour: 'red' } });
  expect(request('GET', `${WIDGETS_PATH}/a`).object).toBe(server.object('widgets.example.com', 'default', 'a'));

  const updated = request('PUT', `${WIDGETS_PATH}/a`, { ...created.object, spec: { size: 2 } });
  expect(updated.code).toBe(200);
  expect(updated.object.metadata.generation).toBe(2);

  const patched = request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 3 } }, MERGE);
  expect(patched.object).toMatchObject({ spec: { size: 3, colour: 'red' } });

  expect(request('DELETE', `${WIDGETS_PATH}/a`)).toMatchObject({ code: 200, body: { status: 'Success' } });
  expect(request('GET', `${WIDGETS_PATH}/a`)).toMatchObject({
    code: 404,
    body: { reason: 'NotFound', message: 'widgets.example.com "a" not found' },
  });
});

it('creates and lists config maps in key order with the global revision (32)', () => {
  const { request, server } = testServer();
  for (const name of ['b', 'a', 'c']) request('POST', CONFIGMAPS_PATH, configMap(name, { name }));

  const list = request('GET', CONFIGMAPS_PATH);

  expect(list.body).toMatchObject({
    kind: 'ConfigMapList',
    metadata: { resourceVersion: String(server.revision) },
    items: [{ metadata: { name: 'a' } }, { metadata: { name: 'b' } }, { metadata: { name: 'c' } }],
  });
});

it('watches from a version and goes on live (90)', () => {
  const { request, server, watch } = testServer();
  const from = String(server.revision);
  request('POST', WIDGETS_PATH, widget('a'));

  const open = watch(WIDGETS_PATH, { resourceVersion: from });
  request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 2 } }, MERGE);
  request('DELETE', `${WIDGETS_PATH}/a`);

  expect(open.lines).toEqual(['ADDED a@7', 'MODIFIED a@8', 'DELETED a@9']);
});

it('seeds objects unchecked, in unserved versions too, and refuses unknown kinds', () => {
  const { server } = testServer();
  const spec = WIDGETS['spec'] as { readonly versions: readonly JsonObject[] };
  const versions = spec.versions.map((version) => ({ ...version, served: version['name'] === 'v1' }));
  server.installCrd({ ...WIDGETS, spec: { ...spec, versions } });

  server.seed([{ ...widget('a'), apiVersion: 'example.com/v1beta1' }, widget('b')]);

  expect(server.objects('widgets.example.com').map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
  expect(() => server.seed([{ ...widget('c'), kind: 'Gadget' }])).toThrow(
    'expected a served kind, got example.com/v1 Gadget',
  );
});

it('delivers a change before the changes that an observer of it writes', () => {
  const { server, request, watch } = testServer();
  const { lines } = watchLines(watch);
  server.observe(({ name }) => {
    if (name === 'a') request('POST', CONFIGMAPS_PATH, configMap('b'));
  });

  request('POST', CONFIGMAPS_PATH, configMap('a'));

  expect(lines()).toEqual(['ADDED a', 'ADDED b']);
});

it('finishes a change although an observer throws, and passes the error on', () => {
  const { server, request, watch } = testServer();
  const { lines } = watchLines(watch);
  const stop = server.observe(() => {
    throw new RangeError('from an observer');
  });

  expect(() => request('POST', CONFIGMAPS_PATH, configMap('a'))).toThrow('from an observer');
  stop();
  request('POST', CONFIGMAPS_PATH, configMap('b'));

  expect(lines()).toEqual(['ADDED a', 'ADDED b']);
});

/** Returns the type and name of each event. */
function watchLines(watch: TestServer['watch']): { readonly lines: () => readonly string[] } {
  const open = watch(CONFIGMAPS_PATH);
  return { lines: () => open.lines.map((line) => line.replace(/@.*/, '')) };
}
