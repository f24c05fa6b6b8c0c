/** Tests a control plane that also runs the controllers of Kubernetes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testServer } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import { findProgram, type Program } from 'stalemate-apiserver/control-plane/binaries';
import type { ObservedChange } from '../../gate/recorder.ts';
import { openEnvtest, type RenewableCluster } from './renewable.ts';
import { eventually } from '../../determinism/test-wait.ts';

const NEEDED: readonly Program[] = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kwok'];
const installed = NEEDED.every((program) => findProgram(program) !== undefined);
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';

describe.runIf(installed)(
  'kube-controller-manager, kube-scheduler and kwok behind envtest',
  { timeout: 120_000 },
  () => {
    let cluster: RenewableCluster;
    let changes: ObservedChange[];
    beforeAll(async () => {
      changes = [];
      const witness = {
        acting: () => (act: () => void) => act(),
        committed: (one: ObservedChange) => changes.push(one),
      };
      cluster = await openEnvtest({
        kinds: testServer().server,
        crds: [],
        namespaces: ['shop'],
        objects: [],
        parts: ['kube-controller-manager', 'kwok'],
        witness: () => witness,
      });
    }, 120_000);
    afterAll(() => cluster?.stop());

    const ask = (method: Method, path: string, body?: JsonObject): Promise<ApiResponse> => {
      const headers = { 'content-type': 'application/json' };
      return call(cluster, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
    };
    const labels = { app: 'web' };
    const web: KubeObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:v1' }] } },
      },
    };
    const rolledOut = async (): Promise<void> => {
      expect((await ask('POST', DEPLOYMENTS, web)).code).toBe(201);
      const isReady = async (): Promise<void> =>
        expect((await ask('GET', `${DEPLOYMENTS}/web`)).body).toMatchObject({ status: { readyReplicas: 2 } });
      await eventually(isReady);
    };

    it('make the pods of a Deployment ready, and everything that they do is seen', async () => {
      await cluster.restore();
      changes.length = 0;

      await rolledOut();

      const made = (): readonly string[] =>
        changes.flatMap(({ type, resource }) => (type === 'ADDED' && resource !== 'events' ? [resource] : []));
      // The observer may lag behind the answers of the server.
      await eventually(() =>
        expect(made().toSorted()).toEqual(['deployments.apps', 'pods', 'pods', 'replicasets.apps']),
      );
    });

    it('leave nothing for the next run, whatever they were about to do', async () => {
      for (let run = 0; run < 3; run++) {
        await cluster.restore();
        changes.length = 0;
        expect((await ask('POST', DEPLOYMENTS, web)).code).toBe(201);
        // Restore while the controllers are still creating the objects of the deployment.
        await eventually(() => expect(changes.map(({ resource }) => resource)).toContain('replicasets.apps'));
      }

      await cluster.restore();

      for (const path of [DEPLOYMENTS, '/api/v1/pods', '/apis/apps/v1/replicasets', '/api/v1/namespaces/shop/events'])
        expect((await ask('GET', path)).body).toMatchObject({ items: [] });
      await rolledOut();
      expect(cluster.renewals).toBe(0);
    });
  },
);
