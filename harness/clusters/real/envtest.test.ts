import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testServer, WIDGETS } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import type { WatchEvent } from 'stalemate-apiserver/objects/watch-event';
import { findProgram } from 'stalemate-apiserver/control-plane/binaries';
import type { ObservedChange } from '../../gate/recorder.ts';
import { openEnvtest, type RenewableCluster } from './renewable.ts';
import { eventually } from '../../determinism/test-wait.ts';

const installed = findProgram('etcd') !== undefined && findProgram('kube-apiserver') !== undefined;
const COLLECTION = '/apis/example.com/v1/namespaces/default/widgets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const KEPT: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept', namespace: 'default', uid: '00000000-0000-4000-8000-000000000000' },
};

describe.runIf(installed)('a control plane for runs', () => {
  let cluster: RenewableCluster;
  let lines: string[];
  let acting = '';

  beforeAll(async () => {
    const committed = ({ type, resource, name }: ObservedChange): void =>
      void lines.push(`${type} ${resource} ${name} by ${acting}`);
    const as = (act: () => void): void => {
      acting = 'asker';
      act();
      acting = 'environment';
    };
    lines = [];
    cluster = await openEnvtest({
      kinds: testServer().server,
      crds: [WIDGETS],
      namespaces: ['default', 'other'],
      objects: [KEPT],
      witness: () => ({ acting: () => as, committed }),
    });
  }, 60_000);
  afterAll(() => cluster?.stop());

  const ask = (method: Method, path: string, body?: JsonObject): Promise<ApiResponse> => {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
    return call(cluster, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
  };
  const widget = (name: string, metadata: JsonObject = {}): JsonObject => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name, ...metadata },
    spec: { size: 1 },
  });

  it('begins every run from one state, whatever the run before has left', async () => {
    await cluster.restore();
    expect((await ask('POST', COLLECTION, widget('a', { finalizers: ['example.com/stays'] }))).code).toBe(201);
    await ask('DELETE', `${COLLECTION}/a`);
    await ask('DELETE', `${CONFIG_MAPS}/kept`);
    await ask('DELETE', '/api/v1/namespaces/other');
    await ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'left' }, rules: [] });
    await ask('PATCH', '/api/v1/namespaces/default', { metadata: { labels: { changed: 'yes' } } });

    await cluster.restore();

    expect((await ask('GET', COLLECTION)).body).toMatchObject({ items: [] });
    expect((await ask('GET', `${CONFIG_MAPS}/kept`)).body).toMatchObject({ metadata: { uid: KEPT.metadata.uid } });
    expect((await ask('GET', '/api/v1/namespaces/other')).body).toMatchObject({ status: { phase: 'Active' } });
    expect((await ask('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/left')).code).toBe(404);
    expect((await ask('GET', '/api/v1/namespaces/default')).body).not.toHaveProperty('metadata.labels.changed');
    expect(cluster.renewals).toBe(0);
  });

  it('publishes each change before its answer and before any watch', async () => {
    await cluster.restore();
    const events: WatchEvent[] = [];
    const { body } = await ask('GET', COLLECTION);
    const { resourceVersion } = (body as JsonObject)['metadata'] as { readonly resourceVersion: string };
    const query = { watch: '1', resourceVersion };
    const close = cluster.send(
      { method: 'GET', path: COLLECTION, query, headers: {} },
      {
        open: () => lines.push('open'),
        event: (event) => {
          events.push(event);
          lines.push(`event ${event.type}`);
        },
        answer: () => {},
        end: () => {},
      },
    );
    await eventually(() => expect(lines).toContain('open'));
    lines.length = 0;

    await ask('POST', COLLECTION, widget('b'));
    lines.push('answered');
    await eventually(() => expect(cluster.isBusy).toBe(false));
    close();

    expect(lines[0]).toBe('ADDED widgets.example.com b by asker');
    expect(lines.slice(1).toSorted()).toEqual(['answered', 'event ADDED']);
    expect(events[0]?.object).toMatchObject({ metadata: { name: 'b' } });
  });

  it('stores what it is given as it is, uid included', async () => {
    await cluster.restore();
    lines.length = 0;
    const uid = '11111111-0000-4000-8000-000000000000';

    await cluster.seed([
      { ...(widget('c', { namespace: 'default', uid, generation: 4 }) as KubeObject), status: { phase: 'ready' } },
    ]);

    expect(lines).toEqual(['ADDED widgets.example.com c by environment']);
    expect((await ask('GET', `${COLLECTION}/c`)).body).toMatchObject({
      metadata: { uid, generation: 4 },
      status: { phase: 'ready' },
    });
  });

  it('is replaced by a fresh one when it has died', async () => {
    process.kill(cluster.pids[0] ?? 0, 'SIGKILL');

    await cluster.restore();

    expect(cluster.renewals).toBe(1);
    expect((await ask('GET', `${CONFIG_MAPS}/kept`)).code).toBe(200);
  });
});
