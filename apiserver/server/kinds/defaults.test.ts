import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { MERGE, testServer } from '../testing.ts';
import { canonicalQuantity } from './quantity.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const TEMPLATE: JsonObject = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] },
};

function deployment(spec: JsonObject = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { app: 'x' } }, template: TEMPLATE, ...spec },
  };
}

function service(name: string, spec: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

describe('defaults (47)', () => {
  it('of a deployment include its containers', () => {
    const { request } = testServer();

    expect(request('POST', DEPLOYMENTS, deployment()).object).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        template: {
          spec: {
            restartPolicy: 'Always',
            dnsPolicy: 'ClusterFirst',
            containers: [
              {
                imagePullPolicy: 'IfNotPresent',
                terminationMessagePath: '/dev/termination-log',
                ports: [{ containerPort: 80, protocol: 'TCP' }],
              },
            ],
          },
        },
      },
      status: {},
    });
  });

  it('make an identical update a no-op (42)', () => {
    const { request, server } = testServer();
    const made = request('POST', DEPLOYMENTS, deployment()).object;
    const before = server.revision;

    const again = request('PUT', `${DEPLOYMENTS}/d`, deployment());

    expect(again.object).toBe(made);
    expect(server.revision).toBe(before);
  });

  it('of a pod include those of admission', () => {
    const { request } = testServer();

    const { object } = request('POST', PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x', resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }] },
    });

    expect(object).toMatchObject({
      spec: {
        enableServiceLinks: true,
        priority: 0,
        containers: [
          {
            imagePullPolicy: 'Always',
            resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
          },
        ],
        tolerations: [{ key: 'node.kubernetes.io/not-ready' }, { key: 'node.kubernetes.io/unreachable' }],
      },
      status: { phase: 'Pending', qosClass: 'Guaranteed' },
    });
  });

  it('of a job derive a selector and labels from its uid', () => {
    const { request } = testServer();

    const { object } = request('POST', '/apis/batch/v1/namespaces/default/jobs', {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x' }] } } },
    });

    const uid = object.metadata.uid ?? '';
    expect(object).toMatchObject({
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { metadata: { labels: { 'job-name': 'j', 'controller-uid': uid } } },
      },
    });
  });

  it.each([
    ['1000m', '1'],
    ['0.5', '500m'],
    [2, '2'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1000', '1k'],
    ['0.1', '100m'],
    ['1e3', '1e3'],
    ['0', '0'],
    ['nonsense', 'nonsense'],
  ])('spell the quantity %s as %s', (given, canonical) => {
    expect(canonicalQuantity(given)).toBe(canonical);
  });
});

describe('services (146)', () => {
  it('get a cluster IP and free it when deleted', () => {
    const { request } = testServer();
    const address = (name: string): unknown =>
      (request('POST', SERVICES, service(name)).object['spec'] as JsonObject)['clusterIP'];

    expect([address('a'), address('b')]).toEqual(['10.0.0.2', '10.0.0.3']);
    request('DELETE', `${SERVICES}/a`);
    expect(address('c')).toBe('10.0.0.2');
  });

  it('keep allocated values when an update omits them, and reject changes to them', () => {
    const { request } = testServer();
    request('POST', SERVICES, service('a', { type: 'NodePort' }));

    const update = request('PUT', `${SERVICES}/a`, service('a', { type: 'NodePort' }));

    expect(update.object).toMatchObject({
      spec: { clusterIP: '10.0.0.2', ports: [{ protocol: 'TCP', targetPort: 80, nodePort: 30_000 }] },
    });
    expect(request('PUT', `${SERVICES}/a`, service('a', { clusterIP: '10.0.0.9' })).code).toBe(422);
  });

  it('may be created by an update (35)', () => {
    const { request } = testServer();

    expect(request('PUT', `${SERVICES}/a`, service('a')).code).toBe(201);
  });
});

describe('rules of built-in kinds (46, 145, 147)', () => {
  it('keep the selector of a deployment immutable and matching its template', () => {
    const { request } = testServer();
    request('POST', DEPLOYMENTS, deployment());
    const selector = { matchLabels: { app: 'y' } };

    const changed = request('PUT', `${DEPLOYMENTS}/d`, deployment({ selector }));

    expect(changed.code).toBe(422);
    expect(changed.object['message']).toContain('`selector` does not match template `labels`');
    expect(changed.object['message']).toContain(
      'spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable',
    );
  });

  it('count a change of annotations as a new generation of a deployment (43)', () => {
    const { request } = testServer();
    request('POST', DEPLOYMENTS, deployment());

    const annotated = request('PATCH', `${DEPLOYMENTS}/d`, { metadata: { annotations: { a: 'b' } } }, MERGE);

    expect(annotated.object.metadata.generation).toBe(2);
  });

  it('allow only image changes of a pod', () => {
    const { request } = testServer();
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    };
    const { object } = request('POST', PODS, pod);
    const spec = object['spec'] as { readonly containers: readonly JsonObject[] };
    const image = (name: string): JsonObject => ({
      containers: spec.containers.map((one) => ({ ...one, image: name })),
    });

    expect(
      request('PUT', `${PODS}/p`, { ...object, spec: { ...(object['spec'] as JsonObject), ...image('y') } }).code,
    ).toBe(200);
    expect(request('PATCH', `${PODS}/p`, { spec: { hostname: 'h' } }, MERGE)).toMatchObject({
      code: 422,
      body: { details: { causes: [{ reason: 'FieldValueForbidden', field: 'spec' }] } },
    });
  });

  it('freeze immutable config maps', () => {
    const { request } = testServer();
    const path = '/api/v1/namespaces/default/configmaps';
    request('POST', path, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a: 'b' },
      immutable: true,
    });

    expect(request('PATCH', `${path}/c`, { data: { a: 'c' } }, MERGE)).toMatchObject({
      code: 422,
      body: { message: 'ConfigMap "c" is invalid: data: Forbidden: field is immutable when `immutable` is set' },
    });
  });

  it('keep labels when the status of a deployment is written (49)', () => {
    const { request } = testServer();
    const { object } = request('POST', DEPLOYMENTS, deployment());

    const written = request('PUT', `${DEPLOYMENTS}/d/status`, {
      ...object,
      metadata: { ...object.metadata, annotations: { a: 'b' }, labels: { l: 'x' } },
      spec: { ...(object['spec'] as JsonObject), replicas: 9 },
      status: { replicas: 3 },
    });

    expect(written.object).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 3 } });
    expect(written.object.metadata.annotations).toEqual({ a: 'b' });
    expect(written.object.metadata.labels).toBeUndefined();
  });
});

describe('rules of built-in kinds (46)', () => {
  function problems(object: KubeObject, path: string): readonly string[] {
    const answer = testServer().request('POST', path, object);
    const { details } = answer.body as { details?: { causes?: readonly { field: string; message: string }[] } };
    return (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }

  function pod(spec: JsonObject): KubeObject {
    return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
  }

  it('report errors in the containers of a pod in order', () => {
    const containers = [
      { name: 'A_', ports: [{ containerPort: 0 }], volumeMounts: [{ name: 'no', mountPath: '/x' }] },
      { name: 'b', image: 'i', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } }, livenessProbe: {} },
    ];

    expect(problems(pod({ containers, restartPolicy: 'X' }), PODS)).toEqual([
      expect.stringContaining('spec.containers[0].name: Invalid value: "A_": a lowercase RFC 1123 label'),
      'spec.containers[0].image: Required value',
      'spec.containers[0].ports[0].containerPort: Required value',
      'spec.containers[0].volumeMounts[0].name: Not found: "no"',
      'spec.containers[1].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      'spec.containers[1].livenessProbe: Required value: must specify a handler type',
      'spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
    ]);
  });

  it('require selectors that match templates, and restartPolicy Always', () => {
    const template = {
      metadata: { labels: { app: 'x' } },
      spec: { ...(TEMPLATE['spec'] as JsonObject), restartPolicy: 'Never' },
    };
    const selector = { matchLabels: { app: 'y' } };

    expect(problems(deployment({ selector, template, replicas: -1 }), DEPLOYMENTS)).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ]);
  });

  it('require port names in services with several ports', () => {
    expect(problems(service('s', { ports: [{ port: 80 }, { port: 0, name: 'b' }] }), SERVICES)).toEqual([
      'spec.ports[0].name: Required value',
      'spec.ports[1].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'spec.ports[1].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive',
    ]);
  });
});

describe('rules of policies and classes (46)', () => {
  function causes(apiVersion: string, path: string, kind: string, content: JsonObject): readonly string[] {
    const body = { apiVersion, kind, metadata: { name: 'x' }, ...content };
    const answer = testServer().request('POST', path, body).body as {
      details?: { causes?: readonly { field: string }[] };
    };
    return (answer.details?.causes ?? []).map(({ field }) => field);
  }

  it.each([
    [
      'policy/v1',
      'PodDisruptionBudget',
      'poddisruptionbudgets',
      { spec: { minAvailable: 'x' } },
      ['spec.minAvailable'],
    ],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      'horizontalpodautoscalers',
      { spec: { scaleTargetRef: { kind: 'D', name: 'd' }, minReplicas: 5, maxReplicas: 3 } },
      ['spec.maxReplicas', 'spec.scaleTargetRef.apiVersion'],
    ],
    ['coordination.k8s.io/v1', 'Lease', 'leases', { spec: { leaseDurationSeconds: 0 } }, ['spec.leaseDurationSeconds']],
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      'networkpolicies',
      { spec: { podSelector: {}, policyTypes: ['X'] } },
      ['spec.policyTypes[0]'],
    ],
    ['networking.k8s.io/v1', 'Ingress', 'ingresses', { spec: {} }, ['spec']],
    [
      'rbac.authorization.k8s.io/v1',
      'Role',
      'roles',
      { rules: [{ verbs: ['get'] }] },
      ['rules[0].apiGroups', 'rules[0].resources'],
    ],
    ['apps/v1', 'ControllerRevision', 'controllerrevisions', { revision: -1 }, ['revision', 'data']],
  ])('name the fields of a wrong %s %s', (apiVersion, kind, resource, content, fields) => {
    expect(causes(apiVersion, `/apis/${apiVersion}/namespaces/default/${resource}`, kind, content)).toEqual(fields);
  });
});
