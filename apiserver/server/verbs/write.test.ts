import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, MERGE, testServer, widget, WIDGETS_PATH } from '../testing.ts';

const A = `${WIDGETS_PATH}/a`;
const FINALIZER = 'example.com/hold';

describe('create', () => {
  it('sets server-side fields and drops those that the client made up (24)', () => {
    const { request } = testServer();

    const { object } = request(
      'POST',
      WIDGETS_PATH,
      widget(
        'a',
        {},
        {
          uid: 'mine',
          creationTimestamp: '1999-01-01T00:00:00Z',
          deletionTimestamp: '1999-01-01T00:00:00Z',
          generation: 7,
        },
      ),
    );

    expect(object.metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: object.metadata.uid,
      creationTimestamp: '2024-01-01T00:00:00Z',
      generation: 1,
      resourceVersion: '7',
    });
    expect(object.metadata.uid).not.toBe('mine');
  });

  it('refuses a resourceVersion as a 500 without reason, before it looks up the name (25)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('POST', WIDGETS_PATH, widget('a', {}, { resourceVersion: '3' }))).toMatchObject({
      code: 500,
      body: { message: 'resourceVersion should not be set on objects to be created' },
    });
    expect(request('POST', WIDGETS_PATH, widget('a', {}, { resourceVersion: '3' })).body).not.toHaveProperty('reason');
  });

  it('ignores a non-numeric resourceVersion, and any in a dry run (25)', () => {
    const { request } = testServer();

    const dry = request('POST', `${WIDGETS_PATH}?dryRun=All`, widget('a', {}, { resourceVersion: '3' }));
    expect(dry).toMatchObject({ code: 201, body: { metadata: { resourceVersion: '3' } } });
    const created = request('POST', WIDGETS_PATH, widget('a', {}, { resourceVersion: 'x' }));
    expect(created).toMatchObject({
      code: 201,
      body: { metadata: { resourceVersion: expect.stringMatching(/^\d+$/) } },
    });
  });

  it('refuses an existing name as AlreadyExists, and reports when its object is being deleted (26, 154)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: [FINALIZER] }));

    expect(request('POST', WIDGETS_PATH, widget('a'))).toMatchObject({
      code: 409,
      body: {
        reason: 'AlreadyExists',
        message: 'widgets.example.com "a" already exists',
        details: { name: 'a', group: 'example.com', kind: 'widgets' },
      },
    });
    request('DELETE', A);
    expect(request('POST', WIDGETS_PATH, widget('a'))).toMatchObject({
      code: 409,
      body: { message: 'object is being deleted: widgets.example.com "a" already exists' },
    });
  });

  it('generates a name from a prefix truncated to 58 characters (27)', () => {
    const { request } = testServer();
    const made = request('POST', CONFIGMAPS_PATH, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { generateName: 'x'.repeat(70) },
    });

    expect(made.object.metadata.name).toBe(`${'x'.repeat(58)}xxxx1`);
  });

  it('requires a name (27)', () => {
    const { request } = testServer();

    expect(request('POST', CONFIGMAPS_PATH, { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })).toMatchObject({
      code: 422,
      body: {
        message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        details: { causes: [{ reason: 'FieldValueRequired', field: 'metadata.name' }] },
      },
    });
  });

  it('refuses a missing or terminating namespace (28)', () => {
    const { request } = testServer();
    request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'going' } });
    request('DELETE', '/api/v1/namespaces/going');

    expect(request('POST', '/api/v1/namespaces/nowhere/configmaps', configMap('a'))).toMatchObject({
      code: 404,
      body: { message: 'namespaces "nowhere" not found', details: { name: 'nowhere', kind: 'namespaces' } },
    });
    expect(request('POST', '/api/v1/namespaces/going/configmaps', configMap('a'))).toMatchObject({
      code: 403,
      body: {
        message:
          'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
        details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
      },
    });
  });

  it('refuses a body of another namespace, version or kind (28, 128)', () => {
    const { request } = testServer();

    expect(request('POST', WIDGETS_PATH, widget('a', {}, { namespace: 'other' }))).toMatchObject({
      code: 400,
      body: { message: 'the namespace of the provided object does not match the namespace sent on the request' },
    });
    expect(request('POST', WIDGETS_PATH, { ...widget('a'), apiVersion: 'example.com/v9' })).toMatchObject({
      code: 400,
      body: {
        message:
          'the API version in the data (example.com/v9) does not match the expected API version (example.com/v1)',
      },
    });
    expect(request('POST', WIDGETS_PATH, { ...widget('a'), kind: 'Gadget' })).toMatchObject({ code: 422 });
  });

  it('is not allowed across namespaces or on an object (137)', () => {
    const { request } = testServer();

    expect(request('POST', '/api/v1/configmaps', configMap('a'))).toMatchObject({
      code: 405,
      body: { reason: 'MethodNotAllowed', message: 'the server does not allow this method on the requested resource' },
    });
    expect(request('POST', '/apis/example.com/v1/widgets', widget('a'))).toMatchObject({
      code: 404,
      body: '404 page not found\n',
    });
    expect(request('POST', `${A}/status`, widget('a'))).toMatchObject({
      code: 405,
      body: { message: 'create is not supported on resources of kind "widgets.example.com"' },
    });
  });

  it('stores nothing on a dry run but returns the object (86)', () => {
    const { request, server } = testServer();
    const before = server.revision;

    const answer = request('POST', `${WIDGETS_PATH}?dryRun=All`, widget('a'));

    expect(answer.code).toBe(201);
    expect(answer.object.metadata.uid).toBeDefined();
    expect(answer.object.metadata.resourceVersion).toBeUndefined();
    expect(server.revision).toBe(before);
    expect(request('POST', `${WIDGETS_PATH}?dryRun=Some`, widget('a')).code).toBe(422);
  });

  it('merges stringData of a secret into data (145)', () => {
    const { request } = testServer();

    const { object } = request('POST', '/api/v1/namespaces/default/secrets', {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { a: 'YQ==' },
      stringData: { b: 'b' },
    });

    expect(object).toMatchObject({ type: 'Opaque', data: { a: 'YQ==', b: 'Yg==' } });
    expect(object).not.toHaveProperty('stringData');
  });
});

describe('update', () => {
  it('refuses an update with a stale version as 409 Conflict (33)', () => {
    const { request } = testServer();
    const first = request('POST', WIDGETS_PATH, widget('a')).object;
    request('PUT', A, { ...first, spec: { size: 2 } });

    expect(request('PUT', A, { ...first, spec: { size: 3 } })).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
        details: { name: 'a', group: 'example.com', kind: 'widgets' },
      },
    });
  });

  it('accepts an update without version, but not of a custom resource (34, 158)', () => {
    const { request } = testServer();
    request('POST', CONFIGMAPS_PATH, configMap('a'));
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('PUT', `${CONFIGMAPS_PATH}/a`, configMap('a', { x: 'y' })).code).toBe(200);
    expect(request('PUT', A, widget('a'))).toMatchObject({
      code: 422,
      body: {
        message:
          'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      },
    });
  });

  it('answers 404 for an absent name, except where an update creates (35)', () => {
    const { request } = testServer();
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };

    expect(request('PUT', A, widget('a', {}, { resourceVersion: '3' })).code).toBe(404);
    expect(request('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/l', lease).code).toBe(201);
    const stale = { ...lease, metadata: { name: 'm', resourceVersion: '3' } };
    expect(request('PUT', '/apis/coordination.k8s.io/v1/namespaces/default/leases/m', stale).code).toBe(201);
  });

  it('refuses a name that differs from the URL as 400 (36)', () => {
    const { request } = testServer();

    expect(request('PUT', A, widget('b'))).toMatchObject({
      code: 400,
      body: { message: 'the name of the object (b) does not match the name on the URL (a)' },
    });
  });

  it('detects a recreated object by its uid, before the version (37, 84)', () => {
    const { request } = testServer();
    const first = request('POST', WIDGETS_PATH, widget('a')).object;
    request('DELETE', A);
    const second = request('POST', WIDGETS_PATH, widget('a')).object;

    const answer = request('PUT', A, first);

    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
    expect(answer.object['message']).toContain(
      `Precondition failed: UID in precondition: ${first.metadata.uid ?? ''}, UID in object meta: ${second.metadata.uid ?? ''}`,
    );
  });

  it('answers 500 to a non-numeric version (38)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('PUT', A, widget('a', {}, { resourceVersion: 'abc' }))).toMatchObject({
      code: 500,
      body: { message: 'strconv.ParseUint: parsing "abc": invalid syntax' },
    });
  });

  it('restores creationTimestamp silently and refuses to set deletionTimestamp (39)', () => {
    const { request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));
    const { creationTimestamp: _, uid: __, ...metadata } = object.metadata;

    const answer = request('PUT', A, { ...object, metadata });
    expect(answer.object).toBe(request('GET', A).object);
    const cause = { field: 'metadata.deletionTimestamp', reason: 'FieldValueInvalid' };
    expect(
      request('PUT', A, { ...object, metadata: { ...object.metadata, deletionTimestamp: '2024-01-01T00:00:00Z' } }),
    ).toMatchObject({ code: 422, body: { details: { causes: [cause, cause] } } });
  });

  it('validates owner references and drops duplicates with a warning (40)', () => {
    const { request } = testServer();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

    const twice = request('POST', CONFIGMAPS_PATH, configMap('a', {}, { ownerReferences: [owner, owner] }));
    expect(twice.object.metadata.ownerReferences).toEqual([owner]);
    expect(twice.headers?.['warning']).toContain('duplicate entries');
    expect(
      request('POST', CONFIGMAPS_PATH, configMap('b', {}, { ownerReferences: [{ ...owner, uid: '' }] })).object[
        'message'
      ],
    ).toContain('metadata.ownerReferences.uid: Invalid value: "": must not be empty');
    const controllers = [
      { ...owner, controller: true },
      { ...owner, name: 'p', uid: 'v', controller: true },
    ];
    expect(request('POST', CONFIGMAPS_PATH, configMap('c', {}, { ownerReferences: controllers })).code).toBe(422);
  });

  it('warns of unqualified finalizers when they are new (45)', () => {
    const { request } = testServer();

    const made = request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: ['hold'] }));
    const again = request('PATCH', A, { spec: { size: 7 } }, MERGE);

    expect(made.headers?.['warning']).toBe(
      '299 - "metadata.finalizers: \\"hold\\": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"',
    );
    expect(again.headers?.['warning']).toBeUndefined();
  });

  it('writes nothing when nothing changes: same version, no event (42, 63)', () => {
    const { request, server, watch } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));
    const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision) });

    const put = request('PUT', A, { ...object, metadata: { ...object.metadata, labels: {} } });
    const patch = request('PATCH', A, { spec: { size: 1 } }, MERGE);

    expect([put.code, patch.code]).toEqual([200, 200]);
    expect(put.object.metadata.resourceVersion).toBe(object.metadata.resourceVersion);
    expect(open.events).toEqual([]);
  });

  it('counts generations: spec of a custom resource yes, its metadata and status no (43)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    const labelled = request('PATCH', A, { metadata: { labels: { a: 'b' } } }, MERGE);
    const status = request('PATCH', `${A}/status`, { status: { phase: 'Ready' } }, MERGE);
    const spec = request('PATCH', A, { spec: { size: 9 } }, MERGE);

    expect([labelled, status, spec].map((one) => one.object.metadata.generation)).toEqual([1, 1, 2]);
  });
});

describe('status', () => {
  it('changes only the status of a custom resource, not even finalizers (48, 81)', () => {
    const { request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: [FINALIZER] }));

    const answer = request('PUT', `${A}/status`, {
      ...object,
      metadata: { ...object.metadata, finalizers: [], labels: { a: 'b' } },
      spec: { size: 99 },
      status: { phase: 'Ready' },
    });

    expect(answer.object.metadata).toMatchObject({ finalizers: [FINALIZER] });
    expect(answer.object.metadata.labels).toBeUndefined();
    expect(answer.object).toMatchObject({ spec: { colour: 'red' }, status: { phase: 'Ready' } });
  });

  it('is locked like any other write (48, 50)', () => {
    const { request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));
    request('PATCH', A, { spec: { size: 5 } }, MERGE);

    expect(request('PUT', `${A}/status`, { ...object, status: { phase: 'Ready' } }).code).toBe(409);
    expect(request('PUT', `${A}/status`, widget('a')).code).toBe(422);
  });

  it('is ignored on the main endpoint (49)', () => {
    const { request } = testServer();
    const made = request('POST', WIDGETS_PATH, { ...widget('a'), status: { phase: 'Made up' } });
    expect(made.object).not.toHaveProperty('status');

    request('PATCH', `${A}/status`, { status: { phase: 'Ready' } }, MERGE);
    const put = request('PATCH', A, { status: { phase: 'Made up' } }, MERGE);
    expect(put.object).toMatchObject({ status: { phase: 'Ready' } });
  });

  it('has no POST and no DELETE, and never creates (49)', () => {
    const { request } = testServer();

    expect(request('PATCH', `${A}/status`, { status: {} }, MERGE).code).toBe(404);
    request('POST', WIDGETS_PATH, widget('a'));
    expect(request('POST', `${A}/status`, widget('a')).code).toBe(405);
    expect(request('DELETE', `${A}/status`).code).toBe(405);
  });
});

describe('scale', () => {
  it('reads and writes replicas through a Scale, optionally without a version (51)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a', { replicas: 2 }));

    expect(request('GET', `${A}/scale`).object).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0 },
    });
    const scaled = request('PUT', `${A}/scale`, { metadata: { name: 'a' }, spec: { replicas: 5 } });
    expect(scaled.object).toMatchObject({ spec: { replicas: 5 } });
    expect(request('GET', A).object).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 } });
    expect(
      request('PUT', `${A}/scale`, { metadata: { name: 'a', resourceVersion: '1' }, spec: { replicas: 6 } }).code,
    ).toBe(409);
    expect(request('PATCH', `${A}/scale`, { spec: { replicas: -1 } }, MERGE).code).toBe(422);
  });

  it('refuses negative counts in the object itself (124)', () => {
    const { request } = testServer();

    expect(request('POST', WIDGETS_PATH, widget('a', { replicas: -1 }))).toMatchObject({
      code: 422,
      body: {
        message:
          'Widget.example.com "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
      },
    });
  });

  it('fails as 500 while the replicas field is absent (51)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('GET', `${A}/scale`)).toMatchObject({ code: 500 });
    expect(request('GET', `${A}/scale`).object['message']).toContain(
      'the spec replicas field ".spec.replicas" does not exist',
    );
  });
});
