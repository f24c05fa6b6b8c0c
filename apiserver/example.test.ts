import * as k8s from '@kubernetes/client-node';
import { expect, onTestFinished, vi } from 'vitest';
import { apiServerTest } from 'stalemate-apiserver/vitest';

// The controller: every ConfigMap gets a label. It takes a KubeConfig, as in a cluster.
async function startController(kubeConfig: k8s.KubeConfig): Promise<() => Promise<void>> {
  const api = kubeConfig.makeApiClient(k8s.CoreV1Api);
  const list = (): Promise<k8s.V1ConfigMapList> => api.listNamespacedConfigMap({ namespace: 'default' });
  const informer = k8s.makeInformer(kubeConfig, '/api/v1/namespaces/default/configmaps', list);
  informer.on('add', (seen) => {
    const body = { ...seen, metadata: { ...seen.metadata, labels: { seen: 'yes' } } };
    api
      .replaceNamespacedConfigMap({ namespace: 'default', name: seen.metadata?.name ?? '', body })
      .catch((error: unknown) => console.error(error));
  });
  await informer.start();
  return () => informer.stop();
}

const test = apiServerTest();

test('labels what it sees', async ({ apiServer }) => {
  const kubeConfig = apiServer.kubeConfig(k8s);
  onTestFinished(await startController(kubeConfig));
  const api = kubeConfig.makeApiClient(k8s.CoreV1Api);

  await api.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'a' } } });

  await vi.waitFor(() => {
    expect(apiServer.object('configmaps', 'a')?.metadata.labels).toEqual({ seen: 'yes' });
  });
});
