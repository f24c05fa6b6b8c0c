import { expect, it } from 'vitest';
import { testServer } from '../testing.ts';

it('boots with the objects that every server has (132)', () => {
  const { server, request } = testServer();
  server.boot(6443);

  expect(request('GET', '/api/v1/namespaces/default/services/kubernetes').object).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  });
  const classes = server.objects('priorityclasses.scheduling.k8s.io').map((one) => one.metadata.name);
  expect(classes).toEqual(['system-cluster-critical', 'system-node-critical']);
  expect(server.objects('apiservices.apiregistration.k8s.io').length).toBeGreaterThan(15);
});
