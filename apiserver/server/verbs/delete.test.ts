import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, MERGE, testServer, widget, WIDGETS_PATH, type TestServer } from '../testing.ts';

const A = `${WIDGETS_PATH}/a`;
const PODS = '/api/v1/namespaces/default/pods';
const HOLD = 'example.com/hold';

describe('finalizers', () => {
  it('marks an object with finalizers, bumps its generation and keeps it (44, 74, 79)', () => {
    const { request, watch, server } = testServer();
    request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: [HOLD] }));
    const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision) });

    const answer = request('DELETE', A);
    const again = request('DELETE', A);

    expect(answer).toMatchObject({
      code: 200,
      body: {
        kind: 'Widget',
        metadata: { generation: 2, deletionTimestamp: '2024-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
      },
    });
    expect(again.object).toBe(answer.object);
    expect(open.lines).toEqual(['MODIFIED a@8']);
  });

  it('deletes in the request that removes the last one: watches only see DELETED (80)', () => {
    const { request, watch, server } = testServer();
    request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: [HOLD] }));
    request('DELETE', A);
    const open = watch(WIDGETS_PATH, { resourceVersion: String(server.revision) });

    const answer = request('PATCH', A, { metadata: { finalizers: null } }, MERGE);

    expect(answer.code).toBe(200);
    expect(answer.object.metadata.resourceVersion).toBe('8');
    expect(open.lines).toEqual(['DELETED a@9']);
    expect(request('GET', A).code).toBe(404);
  });

  it('rejects new ones while terminating, but accepts other edits (82)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a', {}, { finalizers: [HOLD] }));
    request('DELETE', A);

    const cause = {
      reason: 'FieldValueForbidden',
      field: 'metadata.finalizers',
      message:
        'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
    };
    expect(request('PATCH', A, { metadata: { finalizers: [HOLD, 'example.com/more'] } }, MERGE)).toMatchObject({
      code: 422,
      body: { details: { causes: [cause, cause] } },
    });
    expect(request('PATCH', A, { spec: { size: 9 } }, MERGE).object).toMatchObject({ metadata: { generation: 3 } });
  });

  it('answers a dry run that removes the last one with an empty object (84)', () => {
    const { request } = testServer();
    const finalizers = ['foregroundDeletion'];
    request('POST', WIDGETS_PATH, widget('a', {}, { finalizers }));
    request('POST', CONFIGMAPS_PATH, configMap('a', {}, { finalizers }));

    const query = '?dryRun=All&propagationPolicy=Background';
    expect(request('DELETE', A + query).body).toEqual({ apiVersion: 'example.com/v1', kind: 'Widget' });
    const bare = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} };
    expect(request('DELETE', `${CONFIGMAPS_PATH}/a${query}`).body).toEqual(bare);
    expect(request('GET', A).object.metadata.finalizers).toEqual(finalizers);
  });

  it('must be qualified and may not be orphan and foreground at once (40)', () => {
    const { request } = testServer();

    expect(request('POST', CONFIGMAPS_PATH, configMap('a', {}, { finalizers: ['no/t/this'] })).code).toBe(422);
    expect(
      request('POST', CONFIGMAPS_PATH, configMap('a', {}, { finalizers: ['orphan', 'foregroundDeletion'] })).code,
    ).toBe(422);
  });
});

describe('options', () => {
  it('checks preconditions against the stored object and names the kind (76)', () => {
    const { request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));
    const uid = object.metadata.uid ?? '';

    expect(request('DELETE', A, { preconditions: { uid: 'other' } })).toMatchObject({
      code: 409,
      body: {
        message: `Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
      },
    });
    expect(request('DELETE', A, { preconditions: { resourceVersion: '1' } })).toMatchObject({ code: 409 });
    expect(request('DELETE', A, { preconditions: { uid } }).code).toBe(200);
  });

  it('adds the finalizer of a propagation policy (77)', () => {
    const { request } = testServer();
    for (const name of ['a', 'b']) request('POST', WIDGETS_PATH, widget(name));

    const foreground = request('DELETE', A, { propagationPolicy: 'Foreground' });
    const orphan = request('DELETE', `${WIDGETS_PATH}/b?propagationPolicy=Orphan`);

    expect(foreground.object.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(orphan.object.metadata.finalizers).toEqual(['orphan']);
  });

  it('refuses contradictory options (75)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('DELETE', A, { propagationPolicy: 'Orphan', orphanDependents: true }).code).toBe(422);
  });

  it('deletes nothing on a dry run (86)', () => {
    const { request, server } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));
    const before = server.revision;

    expect(request('DELETE', `${A}?dryRun=All`).code).toBe(200);
    expect(server.revision).toBe(before);
  });
});

describe('collections', () => {
  it('deletes what the selector selects and returns the list (85)', () => {
    const { request } = testServer();
    for (const name of ['a', 'b', 'c'])
      request('POST', CONFIGMAPS_PATH, configMap(name, {}, { labels: { keep: String(name === 'b') } }));

    const answer = request('DELETE', `${CONFIGMAPS_PATH}?labelSelector=keep%3Dfalse`);

    expect(answer).toMatchObject({
      code: 200,
      body: { kind: 'ConfigMapList', items: [{ metadata: { name: 'a' } }, { metadata: { name: 'c' } }] },
    });
    expect(request('GET', CONFIGMAPS_PATH).body).toMatchObject({ items: [{ metadata: { name: 'b' } }] });
  });
});

describe('pods', () => {
  function pod({ request }: TestServer, spec: { readonly [key: string]: string | number } = {}): void {
    request('POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    });
  }

  it('terminate gracefully once a node runs them, and a later delete may only shorten the period (83)', () => {
    const made = testServer();
    pod(made, { nodeName: 'n' });

    expect(made.request('DELETE', `${PODS}/p`).object.metadata).toMatchObject({
      deletionTimestamp: '2024-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    const revision = made.server.revision;
    made.request('DELETE', `${PODS}/p`, { gracePeriodSeconds: 60 });
    expect(made.server.revision).toBe(revision);
    expect(made.request('DELETE', `${PODS}/p`, { gracePeriodSeconds: 5 }).object.metadata).toMatchObject({
      deletionTimestamp: '2024-01-01T00:00:05Z',
    });
    made.request('DELETE', `${PODS}/p`, { gracePeriodSeconds: 0 });
    expect(made.request('GET', `${PODS}/p`).code).toBe(404);
  });

  it('are deleted at once without a node (83)', () => {
    const made = testServer();
    pod(made);

    expect(made.request('DELETE', `${PODS}/p`)).toMatchObject({ code: 200, body: { kind: 'Pod' } });
    expect(made.request('GET', `${PODS}/p`).code).toBe(404);
  });

  it('are bound once (52)', () => {
    const made = testServer();
    pod(made);
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'p' },
      target: { kind: 'Node', name: 'n1' },
    };

    expect(made.request('POST', `${PODS}/p/binding`, binding)).toMatchObject({
      code: 201,
      body: { status: 'Success' },
    });
    expect(made.request('GET', `${PODS}/p`).object).toMatchObject({ spec: { nodeName: 'n1' } });
    expect(made.request('POST', `${PODS}/p/binding`, binding)).toMatchObject({
      code: 409,
      body: {
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
      },
    });
  });

  it('are not evicted against their disruption budget (53)', () => {
    const made = testServer();
    pod(made, { nodeName: 'n' });
    made.request('PATCH', `${PODS}/p`, { metadata: { labels: { app: 'x' } } }, MERGE);
    made.request('PATCH', `${PODS}/p/status`, { status: { phase: 'Running' } }, MERGE);
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    made.request('POST', budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { selector: { matchLabels: { app: 'x' } } },
    });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };

    expect(made.request('POST', `${PODS}/p/eviction`, eviction)).toMatchObject({
      code: 429,
      headers: { 'retry-after': '10' },
    });
    const allow = { status: { observedGeneration: 1, disruptionsAllowed: 1 } };
    made.request('PATCH', `${budgets}/b/status`, allow, MERGE);
    expect(made.request('POST', `${PODS}/p/eviction`, eviction).code).toBe(201);
    expect(made.request('POST', `${PODS}/p/eviction`, eviction).code).toBe(201);
    expect(made.request('GET', `${budgets}/b`).object).toMatchObject({ status: { disruptionsAllowed: 0 } });
  });
});

describe('namespaces', () => {
  const X = '/api/v1/namespaces/x';

  it('start Active with a finalizer and a label, and are deleted in two steps (54)', () => {
    const { request } = testServer();
    const made = request('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'x' },
    });
    expect(made.object).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });

    const marked = request('DELETE', X);
    expect(marked.object).toMatchObject({ status: { phase: 'Terminating' } });
    expect(request('DELETE', X).object).toBe(marked.object);

    request('PUT', `${X}/finalize`, { ...marked.object, spec: {} });
    expect(request('GET', X).code).toBe(404);
  });

  it('of the system are protected (54)', () => {
    const { request } = testServer();

    expect(request('DELETE', '/api/v1/namespaces/default')).toMatchObject({
      code: 403,
      body: { message: 'namespaces "default" is forbidden: this namespace may not be deleted' },
    });
  });
});
