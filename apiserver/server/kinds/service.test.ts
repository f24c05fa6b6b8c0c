import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { MERGE, testServer } from '../testing.ts';

const SERVICES = '/api/v1/namespaces/default/services';

it('allocates node ports when an update needs them (33)', () => {
  const { request } = testServer();
  const spec = { ports: [{ port: 80 }] };
  request('POST', SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
  const changed = request('PATCH', `${SERVICES}/a`, { spec: { type: 'NodePort' } }, MERGE);

  expect((changed.object['spec'] as JsonObject)['ports']).toEqual([
    { port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30_000 },
  ]);
});

it('allocates a cluster IP when the type is no longer ExternalName (33)', () => {
  const { request } = testServer();
  const spec = { type: 'ExternalName', externalName: 'a.example.com', ports: [{ port: 80 }] };
  request('POST', SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
  const changed = request('PATCH', `${SERVICES}/a`, { spec: { type: 'ClusterIP', externalName: null } }, MERGE);

  expect(changed.object['spec']).toMatchObject({ clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] });
});

it('releases allocated fields when the type changes back (33)', () => {
  const { request } = testServer();
  const spec = { type: 'LoadBalancer', ports: [{ port: 80 }] };
  request('POST', SERVICES, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
  const changed = request('PATCH', `${SERVICES}/a`, { spec: { type: 'ClusterIP' } }, MERGE);

  expect(changed.code).toBe(200);
  expect((changed.object['spec'] as JsonObject)['ports']).toEqual([{ port: 80, protocol: 'TCP', targetPort: 80 }]);
  expect(changed.object['spec']).not.toHaveProperty('allocateLoadBalancerNodePorts');
});
