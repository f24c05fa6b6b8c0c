import { expect, it } from 'vitest';
import { testServer } from '../testing.ts';

const V1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
const V2 = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };

it('converts the target of v1 to a metric of v2, and defaults it when absent (121)', () => {
  const { request } = testServer();
  request('POST', V1, { metadata: { name: 'a' }, spec: { scaleTargetRef, maxReplicas: 3 } });
  request('POST', V1, {
    metadata: { name: 'b' },
    spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 50 },
  });

  const cpu = (averageUtilization: number): object => ({
    spec: { metrics: [{ type: 'Resource', resource: { target: { type: 'Utilization', averageUtilization } } }] },
  });
  expect(request('GET', `${V2}/a`).object).toMatchObject({ apiVersion: 'autoscaling/v2', ...cpu(80) });
  expect(request('GET', `${V2}/b`).object).toMatchObject(cpu(50));
});

it('keeps fields without a v1 equivalent in annotations, and loses none on a v1 write (121)', () => {
  const { request } = testServer();
  const metrics = [
    { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } } },
    { type: 'Pods', pods: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '10' } } },
    {
      type: 'Object',
      object: { describedObject: scaleTargetRef, metric: { name: 'o' }, target: { type: 'Value', value: '5' } },
    },
    { type: 'External', external: { metric: { name: 'e' }, target: { type: 'Value', value: '7' } } },
  ];
  request('POST', V2, { metadata: { name: 'c' }, spec: { scaleTargetRef, maxReplicas: 3, metrics } });
  const before = request('GET', `${V2}/c`).object;

  const old = request('GET', `${V1}/c`).object;
  expect(Object.keys(old.metadata.annotations ?? {})).toContain('autoscaling.alpha.kubernetes.io/metrics');
  expect(old['spec']).not.toHaveProperty('metrics');
  request('PUT', `${V1}/c`, { ...old, metadata: { ...old.metadata, labels: { a: '1' } } });

  const after = request('GET', `${V2}/c`).object;
  expect(after['spec']).toEqual(before['spec']);
  expect(after.metadata.annotations).toBeUndefined();
  expect(after.metadata.labels).toEqual({ a: '1' });
});
