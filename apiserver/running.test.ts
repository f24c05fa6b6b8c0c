import { readFileSync } from 'node:fs';
import * as k8s from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiServerError, startApiServer, type RunningApiServer } from './index.ts';
import { widget, WIDGETS } from './server/testing.ts';
import { apiServerTest } from './vitest.ts';

const NAMESPACE = 'default';

let running: RunningApiServer;
beforeEach(() => {
  running = startApiServer({ crds: [WIDGETS], objects: [widget('first', { size: 1 }, { namespace: NAMESPACE })] });
});
afterEach(() => running.close());

function core(): k8s.CoreV1Api {
  return running.kubeConfig(k8s).makeApiClient(k8s.CoreV1Api);
}

async function makeConfigMap(name: string): Promise<k8s.V1ConfigMap> {
  return core().createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name } } });
}

describe('a running API server', () => {
  it('serves the definitions and objects from its options', async () => {
    const custom = running.kubeConfig(k8s, { transport: 'dispatcher' }).makeApiClient(k8s.CustomObjectsApi);

    const list = (await custom.listNamespacedCustomObject({
      group: 'example.com',
      version: 'v1',
      namespace: NAMESPACE,
      plural: 'widgets',
    })) as { readonly items: readonly { readonly metadata: { readonly name: string } }[] };

    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['first']);
  });

  it('resets to its start, or to a snapshot', async () => {
    await makeConfigMap('a');
    const withA = running.snapshot();
    await makeConfigMap('b');

    running.reset(withA);
    expect(running.objects('configmaps').map(({ metadata }) => metadata.name)).toEqual(['a']);

    running.reset();
    expect(running.objects('configmaps')).toEqual([]);
    expect(running.objects('widgets.example.com')).toHaveLength(1);
  });

  it('reports commits with the advanced time', async () => {
    const commits: string[] = [];
    const stop = running.onCommit(({ type, name }) => commits.push(`${type} ${name}`));
    const before = (await makeConfigMap('a')).metadata?.creationTimestamp;

    running.advance(3_600_000);
    const after = (await makeConfigMap('b')).metadata?.creationTimestamp;
    stop();
    await makeConfigMap('c');

    expect(commits).toEqual(['ADDED a', 'ADDED b']);
    expect(Number(after) - Number(before)).toBeGreaterThanOrEqual(3_599_000);
  });

  it('answers fetch without a socket', async () => {
    const answer = await running.fetch('/api/v1/namespaces/default');

    expect(await answer.json()).toMatchObject({ kind: 'Namespace', metadata: { name: 'default' } });
  });

  it('listens for clients of other processes', async () => {
    await using listening = await running.listen();
    const kubeConfig = new k8s.KubeConfig();
    kubeConfig.loadFromString(listening.kubeconfig);

    const { items } = await kubeConfig.makeApiClient(k8s.CoreV1Api).listNamespace();

    expect(items.map(({ metadata }) => metadata?.name)).toContain('default');
  });

  it('asks with the rights of a user', async () => {
    await using rbac = startApiServer({ authorization: 'rbac' });
    const user = 'system:serviceaccount:default:operator';
    const api = rbac.kubeConfig(k8s, { user }).makeApiClient(k8s.CoreV1Api);

    await expect(api.listNamespacedSecret({ namespace: NAMESPACE })).rejects.toThrow(
      /default:operator.* cannot list resource/,
    );
  });

  it('makes informers list again when their version has expired', async () => {
    let lists = 0;
    const informer = k8s.makeInformer(running.kubeConfig(k8s), `/api/v1/namespaces/${NAMESPACE}/configmaps`, () => {
      lists++;
      return core().listNamespacedConfigMap({ namespace: NAMESPACE });
    });
    const seen: string[] = [];
    informer.on('add', ({ metadata }) => seen.push(metadata?.name ?? ''));
    await informer.start();

    running.expireWatches();
    await makeConfigMap('a');

    await vi.waitFor(() => expect(seen).toEqual(['a']), { timeout: 10_000 });
    expect(lists).toBe(2);
    await informer.stop();
  });

  it.each([
    [() => running.object('deployments', 'a'), 'which is not served; expected deployments.apps'],
    [() => running.objects('nonsense'), 'expected a plural name and its group'],
    [() => startApiServer({ authorization: 'RBAC' as 'rbac' }), 'expected allow-all or rbac'],
    [() => startApiServer({ crds: ['crd.yaml' as never] }), 'expected a definition as an object'],
    [() => startApiServer({ objects: [widget('a')] }), 'add its definition to crds'],
    [() => startApiServer({ crds: [WIDGETS], objects: [widget('a', { size: 'x' })] }), 'spec.size'],
  ])('says what is wrong with a call: %#', (call, message) => {
    expect(call).toThrow(ApiServerError);
    expect(call).toThrow(message);
  });

  it('refuses a definition that kube-apiserver refuses', () => {
    const broken = { ...WIDGETS, spec: { group: 'example.com' } };

    expect(() => running.install(broken)).toThrow(ApiServerError);
  });
});

const test = apiServerTest();

describe('the vitest fixture', () => {
  for (const name of ['a', 'b'])
    test(`starts ${name} without objects of other tests`, async ({ apiServer }) => {
      const api = apiServer.kubeConfig(k8s).makeApiClient(k8s.CoreV1Api);
      await api.createNamespacedConfigMap({ namespace: NAMESPACE, body: { metadata: { name } } });

      expect(apiServer.objects('configmaps').map(({ metadata }) => metadata.name)).toEqual([name]);
    });
});

it('has the example of its README in a test', () => {
  const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');

  expect(read('README.md')).toContain(read('example.test.ts'));
});
