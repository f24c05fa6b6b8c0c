import * as k8s from '@kubernetes/client-node';
import { expect, vi } from 'vitest';
import { apiServerTest } from 'stalemate-apiserver/vitest';

// The controller: every ConfigMap gets a label. It takes a KubeConfig, as in a cluster.
async function startController(kubeConfig: k8s.KubeConfig): Promise<() => Promise<void>> {
  const api = kubeConfig.makeApiClient(k8s.CoreV1Api);
  const list = (): Promise<k8s.V1ConfigMapList> => api.listNamespacedConfigMap({ namespace: 'default' });
  const informer = k8s.makeInformer(kubeConfig, '/api/v1/namespaces/default/configmaps', list);
  informer.on('add', (seen) => {
    const body = { ...seen, metadata: { ...seen.metadata, labels: { seen: 'yes' } } };
    void api.replaceNamespacedConfigMap({ namespace: 'default', name: seen.metadata?.name ?? '', body });
  });
  await informer.start();
  return () => informer.stop();
}

const test = apiServerTest();

test('labels what it sees', async ({ apiServer }) => {
  const kubeConfig = apiServer.kubeConfig(k8s);
  const stop = await startController(kubeConfig);
  const api = kubeConfig.makeApiClient(k8s.CoreV1Api);

  await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'a' } } });

  await vi.waitFor(() => {
    expect(apiServer.server.object('configmaps', 'default', 'a')?.metadata.labels).toEqual({ seen: 'yes' });
  });
  await stop();
});
