import { expect, it } from 'vitest';
import { MERGE, testServer } from '../../testing.ts';

const SETS = '/apis/apps/v1/namespaces/default/statefulsets';

it('refuses invalid counts (33)', () => {
  const { request } = testServer();
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  request('POST', SETS, {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: { app: 'a' } }, template },
  });
  const status = { replicas: 1, readyReplicas: 2, availableReplicas: -1 };

  expect(request('PATCH', `${SETS}/a/status`, { status }, MERGE)).toMatchObject({
    code: 422,
    body: {
      details: {
        causes: [
          { field: 'status.availableReplicas', message: 'Invalid value: -1: must be greater than or equal to 0' },
          { field: 'status.readyReplicas', message: 'Invalid value: 2: cannot be greater than status.replicas' },
        ],
      },
    },
  });
});

it('accepts addresses of load balancers only (33)', () => {
  const { request } = testServer();
  const services = '/api/v1/namespaces/default/services';
  const spec = { ports: [{ port: 80 }] };
  request('POST', services, { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec });
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };

  expect(request('PATCH', `${services}/a/status`, { status }, MERGE)).toMatchObject({
    code: 422,
    body: { details: { causes: [{ field: 'status.loadBalancer.ingress' }] } },
  });
  request('PATCH', `${services}/a`, { spec: { type: 'LoadBalancer' } }, MERGE);
  expect(request('PATCH', `${services}/a/status`, { status }, MERGE).code).toBe(200);
});
