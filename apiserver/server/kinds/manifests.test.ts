/** Behaviour of built-in kinds found with manifests of real projects. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { MERGE, testServer, type Answer } from '../testing.ts';

const DEFAULT = '/api/v1/namespaces/default';
const JSON_PATCH = { headers: { 'content-type': 'application/json-patch+json' } };

function causes(answer: Answer): readonly string[] {
  const details = (answer.body as { details?: { causes?: readonly { field: string; message: string }[] } }).details;
  return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
}

it('allocates a health check node port while the traffic policy needs one', () => {
  const { request } = testServer();
  const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] };
  const portOf = ({ object }: Answer) => (object['spec'] as JsonObject)['healthCheckNodePort'];

  const made = request('POST', `${DEFAULT}/services`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'a' },
    spec,
  });
  const relabelled = request('PATCH', `${DEFAULT}/services/a`, { spec: { healthCheckNodePort: null } }, MERGE);
  const open = request('PATCH', `${DEFAULT}/services/a`, { spec: { externalTrafficPolicy: 'Cluster' } }, MERGE);

  expect([portOf(made), portOf(relabelled), portOf(open)]).toEqual([30_001, 30_001, undefined]);
});

it("synchronises the deprecated and the current field of a node's range and a pod's IP", () => {
  const { request } = testServer();
  const ranges = { podCIDR: '10.1.0.0/24', podCIDRs: ['10.1.0.0/24'] };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: ranges };
  const before = request('POST', '/api/v1/nodes', node).object.metadata.resourceVersion;
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  request('POST', `${DEFAULT}/pods`, pod);

  const same = request('PATCH', '/api/v1/nodes/n', [{ op: 'remove', path: '/spec/podCIDR' }], JSON_PATCH);
  const located = request('PATCH', `${DEFAULT}/pods/p/status`, { status: { podIP: '10.1.0.7' } }, MERGE);

  expect(same.object['spec']).toMatchObject(ranges);
  expect(same.object.metadata.resourceVersion).toBe(before);
  expect(located.object['status']).toMatchObject({ podIP: '10.1.0.7', podIPs: [{ ip: '10.1.0.7' }] });
});

it('validates the hosts and secrets of an ingress with TLS', () => {
  const { request } = testServer();
  const spec = {
    defaultBackend: { service: { name: 's', port: { number: 80 } } },
    rules: [{ host: '<*.b>' }, { host: '*.a.b' }],
    tls: [{ hosts: ['a{b'], secretName: 'S' }],
  };
  const body = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'a' }, spec };

  expect(causes(request('POST', '/apis/networking.k8s.io/v1/namespaces/default/ingresses', body))).toEqual([
    expect.stringContaining(
      'spec.rules[0].host: Invalid value: "<*.b>": a wildcard DNS-1123 subdomain must start with',
    ),
    expect.stringContaining('spec.tls[0].hosts[0]: Invalid value: "a{b"'),
    expect.stringContaining('spec.tls[0].secretName: Invalid value: "S"'),
  ]);
});

it('requires selectors in an aggregation rule', () => {
  const { request } = testServer();
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'a' },
    aggregationRule: {},
  };

  expect(causes(request('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', role))).toEqual([
    'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
  ]);
});

it('labels a namespace with its own name, whatever is sent', () => {
  const { request } = testServer();
  const metadata = { name: 'a', labels: { 'kubernetes.io/metadata.name': 'b' } };

  const made = request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  const changed = request('PATCH', '/api/v1/namespaces/a', { metadata }, MERGE);

  for (const { object } of [made, changed])
    expect(object.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'a' });
});

it('labels a job like its template, and counts that as sent', () => {
  const { request } = testServer({ fieldManagement: 'eager' });
  const labels = { app: 'a' };
  const template = { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const spec = { manualSelector: false, template };

  const job = request('POST', '/apis/batch/v1/namespaces/default/jobs', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'a' },
    spec,
  });

  expect(job.object.metadata.labels).toMatchObject(labels);
  expect(job.object.metadata.managedFields?.[0]).toHaveProperty(['fieldsV1', 'f:metadata', 'f:labels', 'f:app']);
});

it('refuses to shrink a claim, and duplicate conditions of a budget', () => {
  const { request } = testServer();
  const sized = (storage: string): JsonObject => ({
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
  });
  const claims = `${DEFAULT}/persistentvolumeclaims`;
  request('POST', claims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'a' },
    spec: sized('2Gi'),
  });
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  request('POST', budgets, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec: {} });
  const conditions = ['1', '2'].map((reason) => ({
    type: 'A',
    status: 'True',
    reason,
    message: '',
    lastTransitionTime: '2020-01-01T00:00:00Z',
  }));

  expect(
    causes(request('PATCH', `${claims}/a`, { spec: { resources: { requests: { storage: null } } } }, MERGE)),
  ).toContain('spec.resources.requests.storage: Forbidden: field can not be less than status.capacity');
  expect(causes(request('PATCH', `${budgets}/a/status`, { status: { conditions } }, MERGE))).toEqual([
    'status.conditions[1].type: Duplicate value: "A"',
  ]);
});

it('requires sideEffects of a webhook', () => {
  const { request } = testServer();
  const body = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'a' },
    webhooks: [{ name: 'a.b.c' }],
  };

  expect(
    causes(request('POST', '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', body)),
  ).toContain('webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun');
});

it('defaults to Always for an image without tag, but not for an unparsable one', () => {
  const { request } = testServer();
  const images = [
    'nginx',
    'Reg.example.com:5000/a/b_c:latest',
    'a/b:1',
    'ko://example.com/cmd/a',
    '$(IMAGE)',
    `a@sha256:${'0'.repeat(64)}`,
  ];
  const containers = images.map((image, at) => ({ name: `c${at}`, image }));

  const { object } = request('POST', `${DEFAULT}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a' },
    spec: { containers },
  });

  const policies = (object['spec'] as { containers: readonly JsonObject[] }).containers.map(
    ({ imagePullPolicy }) => imagePullPolicy,
  );
  expect(policies).toEqual(['Always', 'Always', 'IfNotPresent', 'IfNotPresent', 'IfNotPresent', 'IfNotPresent']);
});

it('requires types of autoscaler metrics, and DNS labels as names of stateful sets', () => {
  const { request } = testServer();
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
  const spec = {
    scaleTargetRef,
    maxReplicas: 2,
    metrics: [{ resource: { name: 'cpu', target: { type: 'Utilization' } } }],
  };
  const scaler = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'a' }, spec };
  const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'a.b' }, spec: {} };

  expect(causes(request('POST', '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', scaler))).toEqual([
    'spec.metrics[0].type: Required value: must specify a metric source type',
    'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    'spec.metrics[0].type: Unsupported value: "": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
  ]);
  expect(causes(request('POST', '/apis/apps/v1/namespaces/default/statefulsets', set))).toContainEqual(
    'metadata.name: Invalid value: "a.b": must not contain dots',
  );
});
