import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { testServer, type TestServer } from '../testing.ts';

const CORE = '/api/v1/namespaces/default';

function limited(limits: readonly JsonObject[]): TestServer {
  const made = testServer();
  const range = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'limits' }, spec: { limits } };
  expect(made.request('POST', `${CORE}/limitranges`, range).code).toBe(201);
  return made;
}

function pod(resources: JsonObject = {}): JsonObject {
  const containers = [{ name: 'c', image: 'i', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers } };
}

it('defaults requests and limits of containers, and annotates the pod', () => {
  const { request } = limited([
    { type: 'Container', default: { cpu: '200m' }, defaultRequest: { cpu: '100m', memory: '1Gi' } },
  ]);

  const { object } = request('POST', `${CORE}/pods`, pod({ requests: { memory: '2Gi' } }));

  expect(object).toMatchObject({
    metadata: {
      annotations: {
        'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
      },
    },
    spec: { containers: [{ resources: { limits: { cpu: '200m' }, requests: { cpu: '100m', memory: '2Gi' } } }] },
  });
});

it('refuses containers and claims beyond the limits', () => {
  const { request } = limited([
    { type: 'Container', min: { cpu: '50m' }, max: { cpu: '1' } },
    { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } },
  ]);

  expect(request('POST', `${CORE}/pods`, pod({ requests: { cpu: '10m' }, limits: { cpu: '2' } }))).toMatchObject({
    code: 403,
    body: {
      message:
        'pods "p" is forbidden: [minimum cpu usage per Container is 50m, but request is 10m, maximum cpu usage per Container is 1, but limit is 2]',
    },
  });
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } };
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'c' }, spec };
  expect(request('POST', `${CORE}/persistentvolumeclaims`, claim)).toMatchObject({
    code: 403,
    body: {
      message: expect.stringContaining('maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi'),
    },
  });
});
