import { expect, it } from 'vitest';
import { testServer } from '../testing.ts';

it('boots with the objects of every server (132)', () => {
  const { server, request } = testServer({ widgets: false });
  server.boot(6443);

  expect(request('GET', '/api/v1/namespaces/default/services/kubernetes').object).toMatchObject({
    metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.0.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  });
  const classes = server.objects('priorityclasses.scheduling.k8s.io').map((one) => one.metadata.name);
  expect(classes).toEqual(['system-cluster-critical', 'system-node-critical']);
  const namesOf = (resource: string): readonly string[] =>
    server.objects(resource).map(({ metadata }) => metadata.name ?? '');
  // There is an APIService for each version of each group, but none for the group of APIServices itself.
  const { groups } = request('GET', '/apis').body as {
    readonly groups: readonly { readonly versions: readonly { readonly groupVersion: string }[] }[];
  };
  const served = groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion.split('/')));
  expect(namesOf('apiservices.apiregistration.k8s.io')).toEqual(
    ['v1.', ...served.map(([group = '', version = '']) => `${version}.${group}`)]
      .filter((name) => name !== 'v1.apiregistration.k8s.io')
      .toSorted(),
  );
  expect(namesOf('flowschemas.flowcontrol.apiserver.k8s.io')).toEqual(
    expect.arrayContaining(['catch-all', 'exempt', 'global-default']),
  );
  expect(namesOf('leases.coordination.k8s.io')).toEqual([expect.stringMatching(/^apiserver-/)]);
});
