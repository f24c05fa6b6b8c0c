/** Conformance cases about limit ranges, which an API server enforces without any controller. */
import type { JsonObject } from '../../objects/object.ts';
import { at, same, type ConformanceCase } from './case.ts';

function pod(name: string, resources: JsonObject): JsonObject {
  const containers = [{ name: 'c', image: 'i', resources }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers } };
}

export const LIMIT_CASES: readonly ConformanceCase[] = [
  {
    name: 'gives containers the defaults of their namespace and holds them to its limits',
    items: [],
    run: async (t) => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
      await t.client.request({ method: 'POST', path: t.core('serviceaccounts'), body: account });
      const container = {
        type: 'Container',
        min: { cpu: '50m' },
        max: { cpu: '1' },
        defaultRequest: { cpu: '100m', memory: '1Gi' },
      };
      await t.call('POST', t.core('limitranges'), 201, {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'limits' },
        spec: { limits: [container, { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] },
      });

      const filled = await t.call('POST', t.core('pods'), 201, pod('filled', { requests: { memory: '2Gi' } }));
      same(
        at(filled, 'spec.containers.0.resources'),
        { limits: { cpu: '1' }, requests: { cpu: '100m', memory: '2Gi' } },
        'the resources',
      );
      same(
        at(filled, 'metadata.annotations'),
        {
          'kubernetes.io/limit-ranger':
            'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
        },
        'the annotations',
      );
      await t.call(
        'POST',
        t.core('pods'),
        '403: minimum cpu usage per Container is 50m, but request is 10m',
        pod('small', { requests: { cpu: '10m' } }),
      );
      await t.call(
        'POST',
        t.core('pods'),
        '403: maximum cpu usage per Container is 1, but limit is 2',
        pod('large', { limits: { cpu: '2' } }),
      );
      await t.call(
        'POST',
        t.core('persistentvolumeclaims'),
        '403: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'claim' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
        },
      );
    },
  },
];
