/**
 * The kinds of the comparison: a small valid object each, and fragments that operations put on top of it, good and bad ones.
 *
 * Owns: data only. Fragments are merged as RFC 7386 says, so null removes.
 */
import type { JsonObject } from '../../model/object.ts';
import { GROUP } from './crds.ts';

export interface ComparedKind {
  /** How operations name it. */
  readonly id: string;
  /** What differences are grouped by. */
  readonly family: 'custom' | 'core' | 'workload' | 'policy' | 'cluster';
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly base: JsonObject;
  readonly fragments: readonly JsonObject[];
  readonly statuses?: readonly JsonObject[];
  readonly scale?: boolean;
  /** Field selectors, with what an object needs to match. */
  readonly fields?: readonly { readonly selector: string; readonly match: JsonObject }[];
}

type Given = Partial<ComparedKind> & { readonly base: JsonObject; readonly fragments: readonly JsonObject[] };

function kindOf(id: string, apiVersion: string, kind: string, given: Given): ComparedKind {
  const slash = apiVersion.indexOf('/');
  return {
    id,
    family: 'core',
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    plural: id,
    kind,
    namespaced: true,
    ...given,
  };
}

const CUSTOM_FRAGMENTS: readonly JsonObject[] = [
  { spec: { size: 2 } },
  { spec: { size: 3, colour: 'blue' } },
  { spec: { parts: [{ name: 'a', count: 2 }, { name: 'b' }] } },
  { spec: { parts: [{ name: 'b', count: 5 }] } },
  { spec: { tags: ['x', 'y'] } },
  { spec: { tags: ['y', 'z'] } },
  { spec: { free: { any: { thing: [1, 'two', null] } } } },
  { spec: { labels: { one: '1', two: '2' } } },
  { spec: { labels: { one: null, three: '3' } } },
  { spec: { atomicMap: { a: '1' } } },
  { spec: { atomicMap: { b: '2' } } },
  { spec: { plainList: [1, 2] } },
  { spec: { port: 'http' } },
  { spec: { port: 80, replicas: 3 } },
  { spec: { note: null } },
  { spec: { colour: null } },
  { spec: {} },
  { spec: null },
  { status: { phase: 'Ready' } },
  // What is refused, or pruned.
  { spec: { size: 'three' } },
  { spec: { size: -1 } },
  { spec: { size: 101, colour: 'green' } },
  { spec: { colour: 7 } },
  { spec: { note: 'longer than ten' } },
  { spec: { word: 'UPPER' } },
  { spec: { tags: ['x', 'x'] } },
  { spec: { parts: [{ name: 'a' }, { name: 'a' }] } },
  { spec: { parts: [{ count: 1 }] } },
  { spec: { plainList: [1, 2, 3, 4] } },
  { spec: { unknown: 1 }, other: true },
  { spec: 'text' },
  { spec: { labels: { one: 1 } } },
  { spec: { size: 1.5 } },
];

const CUSTOM_STATUSES: readonly JsonObject[] = [
  { status: { phase: 'Ready' } },
  { status: { phase: 'Failed', replicas: 2, selector: 'app=a' } },
  { status: { conditions: [{ type: 'A', status: 'True' }] } },
  { status: { conditions: [{ type: 'B', status: 'False' }] } },
  { status: { phase: 7 } },
  { status: { conditions: [{ type: 'B' }] } },
  { status: { unknown: 1 } },
  { status: null },
  { status: { phase: 'Ready' }, spec: { size: 50 }, metadata: { labels: { via: 'status' }, finalizers: ['x.io/s'] } },
];

const custom = (id: string, kind: string, more: Partial<ComparedKind> = {}): ComparedKind =>
  kindOf(id, `${GROUP}/v1`, kind, {
    family: 'custom',
    base: { spec: { size: 1 } },
    fragments: CUSTOM_FRAGMENTS,
    statuses: CUSTOM_STATUSES,
    ...more,
  });

const POD_SPEC: JsonObject = { containers: [{ name: 'c', image: 'i:1' }] };
const TEMPLATE: JsonObject = { metadata: { labels: { app: 'a' } }, spec: POD_SPEC };
const SELECTOR: JsonObject = { matchLabels: { app: 'a' } };

const WORKLOAD_FRAGMENTS: readonly JsonObject[] = [
  { spec: { replicas: 2 } },
  { spec: { replicas: 0 } },
  { spec: { replicas: -1 } },
  { spec: { replicas: 'two' } },
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:2' }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:1', env: [{ name: 'A', value: '1' }] }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'd', image: 'i:1', ports: [{ containerPort: 80 }] }] } } } },
  { spec: { template: { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1000m' } } }] } } } },
  { spec: { template: { spec: { containers: [] } } } },
  { spec: { template: { metadata: { labels: { app: 'other' } } } } },
  { spec: { selector: { matchLabels: { app: 'other' } } } },
  { spec: { minReadySeconds: 5 } },
  { spec: { unknown: true } },
];

const WORKLOAD_STATUSES: readonly JsonObject[] = [
  { status: { observedGeneration: 1, replicas: 1 } },
  { status: { replicas: 2, readyReplicas: 1 } },
  { status: { replicas: -1 } },
  { status: { replicas: 1, readyReplicas: 3 } },
  { status: { conditions: [{ type: 'Available', status: 'True' }] } },
  { status: { replicas: 1 }, spec: { replicas: 9 }, metadata: { labels: { via: 'status' }, annotations: { a: 's' } } },
];

export const KINDS: readonly ComparedKind[] = [
  custom('widgets', 'Widget', {
    scale: true,
    fields: [{ selector: 'spec.colour=blue', match: { spec: { colour: 'blue' } } }],
  }),
  custom('widgets-beta', 'Widget', { plural: 'widgets', version: 'v1beta1', scale: true }),
  custom('plains', 'Plain'),
  custom('frees', 'Free'),
  custom('globals', 'Global', { namespaced: false }),
  custom('ruleds', 'Ruled', {
    base: { spec: { min: 1, max: 2 } },
    fragments: [
      { spec: { min: 2 } },
      { spec: { min: 3 } },
      { spec: { max: 5, fixed: 'a' } },
      { spec: { fixed: 'b' } },
      { spec: { fixed: null } },
      { spec: { min: null } },
      { spec: { min: 'x' } },
      { spec: null },
    ],
  }),
  kindOf('configmaps', 'v1', 'ConfigMap', {
    base: { data: { a: '1' } },
    fragments: [
      { data: { a: '2' } },
      { data: { a: null, b: 'x' } },
      { data: null },
      { binaryData: { x: 'AAE=' } },
      { immutable: true },
      { immutable: false },
      { data: { 'bad key': 'x' } },
      { data: { a: 1 } },
      { data: 'text' },
      { binaryData: { a: '!' } },
      { unknown: 1 },
    ],
  }),
  kindOf('secrets', 'v1', 'Secret', {
    base: { data: { a: 'MQ==' } },
    fragments: [
      { stringData: { a: 'two' } },
      { stringData: { b: 'x' }, data: { b: 'MQ==' } },
      { data: { a: null } },
      { data: { a: '!!' } },
      { type: 'kubernetes.io/tls' },
      { type: 'example.com/other' },
      { immutable: true },
    ],
    fields: [{ selector: 'type=example.com/x', match: { type: 'example.com/x' } }],
  }),
  kindOf('serviceaccounts', 'v1', 'ServiceAccount', {
    base: {},
    fragments: [
      { secrets: [{ name: 's' }] },
      { imagePullSecrets: [{ name: 'p' }] },
      { automountServiceAccountToken: false },
      { secrets: 7 },
    ],
  }),
  kindOf('pods', 'v1', 'Pod', {
    family: 'workload',
    base: { spec: POD_SPEC },
    fragments: [
      { spec: { containers: [{ name: 'c', image: 'i:2' }] } },
      { spec: { containers: [{ name: 'd', image: 'i:1' }] } },
      { spec: { containers: [] } },
      { spec: { containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }] }] } },
      { spec: { nodeName: 'node-1' } },
      { spec: { terminationGracePeriodSeconds: 5 } },
      { spec: { activeDeadlineSeconds: 10 } },
      { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } },
      { spec: { restartPolicy: 'Never' } },
      { spec: { restartPolicy: 'Sometimes' } },
      { spec: { unknown: 1 } },
      { spec: 'text' },
      { spec: null },
    ],
    statuses: [
      { status: { phase: 'Running' } },
      { status: { phase: 'Succeeded' } },
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      { status: { conditions: [{ type: 'Other', status: 'False' }] } },
      { status: { phase: 7 } },
      { status: { phase: 'Running' }, metadata: { labels: { via: 'status' } } },
    ],
    fields: [
      { selector: 'spec.nodeName=node-1', match: { spec: { nodeName: 'node-1' } } },
      { selector: 'status.phase=Pending', match: {} },
    ],
  }),
  kindOf('services', 'v1', 'Service', {
    base: { spec: { ports: [{ port: 80 }], selector: { app: 'a' } } },
    fragments: [
      {
        spec: {
          ports: [
            { name: 'a', port: 80 },
            { name: 'b', port: 81 },
          ],
        },
      },
      { spec: { ports: [{ port: 80, targetPort: 'http' }] } },
      { spec: { ports: [{ port: 0 }] } },
      { spec: { ports: [{ port: 80 }, { port: 81 }] } },
      { spec: { type: 'NodePort' } },
      { spec: { type: 'LoadBalancer' } },
      { spec: { type: 'ExternalName', externalName: 'a.example.com' } },
      { spec: { clusterIP: 'None' } },
      { spec: { sessionAffinity: 'ClientIP' } },
      { spec: { selector: null } },
      { spec: { type: 'Wrong' } },
    ],
    statuses: [{ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }, { status: { conditions: null } }],
  }),
  kindOf('endpoints', 'v1', 'Endpoints', {
    base: { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] },
    fragments: [{ subsets: null }, { subsets: [{ addresses: [{ ip: 'x' }], ports: [{ port: 80 }] }] }],
  }),
  kindOf('endpointslices', 'discovery.k8s.io/v1', 'EndpointSlice', {
    base: { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] },
    fragments: [
      { endpoints: [{ addresses: ['192.0.2.2'], conditions: { ready: true } }] },
      { addressType: 'IPv6' },
      { endpoints: [] },
    ],
  }),
  kindOf('events', 'v1', 'Event', {
    base: {
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'NAMESPACE' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      source: { component: 'c' },
    },
    fragments: [{ count: 2 }, { message: 'n' }, { involvedObject: { namespace: 'other' } }, { type: 'Warning' }],
    fields: [{ selector: 'reason=Z', match: { reason: 'Z' } }],
  }),
  kindOf('limitranges', 'v1', 'LimitRange', {
    base: { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }] } },
    fragments: [
      { spec: { limits: [] } },
      { spec: { limits: [{ type: 'PersistentVolumeClaim', min: { storage: '1Mi' } }] } },
    ],
  }),
  kindOf('persistentvolumeclaims', 'v1', 'PersistentVolumeClaim', {
    base: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    fragments: [
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      { spec: { accessModes: ['ReadWriteMany'] } },
      { spec: { volumeName: 'v' } },
      { spec: { accessModes: [] } },
    ],
    statuses: [{ status: { phase: 'Bound' } }, { status: { capacity: { storage: '1Gi' } } }],
  }),
  kindOf('deployments', 'apps/v1', 'Deployment', {
    family: 'workload',
    base: { spec: { selector: SELECTOR, template: TEMPLATE } },
    fragments: [...WORKLOAD_FRAGMENTS, { spec: { strategy: { type: 'Recreate' } } }, { spec: { paused: true } }],
    statuses: WORKLOAD_STATUSES,
    scale: true,
  }),
  kindOf('replicasets', 'apps/v1', 'ReplicaSet', {
    family: 'workload',
    base: { spec: { selector: SELECTOR, template: TEMPLATE } },
    fragments: WORKLOAD_FRAGMENTS,
    statuses: WORKLOAD_STATUSES,
    scale: true,
  }),
  kindOf('statefulsets', 'apps/v1', 'StatefulSet', {
    family: 'workload',
    base: { spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE } },
    fragments: [...WORKLOAD_FRAGMENTS, { spec: { serviceName: 't' } }],
    statuses: WORKLOAD_STATUSES,
    scale: true,
  }),
  kindOf('daemonsets', 'apps/v1', 'DaemonSet', {
    family: 'workload',
    base: { spec: { selector: SELECTOR, template: TEMPLATE } },
    fragments: WORKLOAD_FRAGMENTS,
    statuses: [
      { status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 0 } },
    ],
  }),
  kindOf('controllerrevisions', 'apps/v1', 'ControllerRevision', {
    family: 'workload',
    base: { revision: 1, data: { a: 1 } },
    fragments: [{ revision: 2 }, { data: { a: 2 } }, { revision: -1 }],
  }),
  kindOf('jobs', 'batch/v1', 'Job', {
    family: 'workload',
    base: { spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } } },
    fragments: [
      { spec: { parallelism: 2 } },
      { spec: { completions: 2 } },
      { spec: { suspend: true } },
      { spec: { backoffLimit: -1 } },
      { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:2' }] } } } },
    ],
    statuses: [{ status: { active: 1 } }, { status: { ready: 1, startTime: '2020-01-01T00:00:00Z' } }],
  }),
  kindOf('cronjobs', 'batch/v1', 'CronJob', {
    family: 'workload',
    base: {
      spec: {
        schedule: '* * * * *',
        jobTemplate: { spec: { template: { spec: { ...POD_SPEC, restartPolicy: 'OnFailure' } } } },
      },
    },
    fragments: [
      { spec: { schedule: 'never' } },
      { spec: { suspend: true } },
      { spec: { concurrencyPolicy: 'Forbid' } },
    ],
    statuses: [{ status: { lastScheduleTime: '2020-01-01T00:00:00Z' } }],
  }),
  kindOf('leases', 'coordination.k8s.io/v1', 'Lease', {
    base: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' } },
    fragments: [
      { spec: { holderIdentity: 'you', leaseTransitions: 1 } },
      { spec: { renewTime: '2020-01-01T00:00:01.5Z' } },
      { spec: { leaseDurationSeconds: 0 } },
      { spec: { renewTime: 'now' } },
    ],
  }),
  kindOf('ingresses', 'networking.k8s.io/v1', 'Ingress', {
    family: 'policy',
    base: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    fragments: [
      { spec: { ingressClassName: 'c' } },
      { spec: { defaultBackend: null } },
      { spec: { rules: [{ host: 'a.example.com' }] } },
    ],
    statuses: [{ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }],
  }),
  kindOf('networkpolicies', 'networking.k8s.io/v1', 'NetworkPolicy', {
    family: 'policy',
    base: { spec: { podSelector: {} } },
    fragments: [
      { spec: { policyTypes: ['Egress'] } },
      { spec: { ingress: [{}] } },
      { spec: { policyTypes: ['Wrong'] } },
    ],
  }),
  kindOf('roles', 'rbac.authorization.k8s.io/v1', 'Role', {
    family: 'policy',
    base: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
    fragments: [{ rules: [] }, { rules: null }, { rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }],
  }),
  kindOf('rolebindings', 'rbac.authorization.k8s.io/v1', 'RoleBinding', {
    family: 'policy',
    base: {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'ServiceAccount', name: 's', namespace: 'default' }],
    },
    fragments: [
      { subjects: [{ kind: 'User', name: 'u' }] },
      { roleRef: { name: 'other' } },
      { subjects: [{ kind: 'Wrong', name: 'u' }] },
      { subjects: null },
    ],
  }),
  kindOf('poddisruptionbudgets', 'policy/v1', 'PodDisruptionBudget', {
    family: 'policy',
    base: { spec: { minAvailable: 1, selector: SELECTOR } },
    fragments: [{ spec: { minAvailable: '50%' } }, { spec: { maxUnavailable: 1 } }, { spec: { minAvailable: -1 } }],
    statuses: [
      {
        status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 },
      },
    ],
  }),
  kindOf('horizontalpodautoscalers', 'autoscaling/v2', 'HorizontalPodAutoscaler', {
    family: 'policy',
    base: { spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 } },
    fragments: [{ spec: { minReplicas: 2 } }, { spec: { maxReplicas: 0 } }],
    statuses: [{ status: { currentReplicas: 1, desiredReplicas: 2 } }],
  }),
  kindOf('resourcequotas', 'v1', 'ResourceQuota', {
    family: 'policy',
    base: { spec: { hard: { 'count/widgets.example.com': '5' } } },
    fragments: [
      { spec: { hard: { 'count/others.example.com': '1k' } } },
      { spec: { hard: { 'count/x.example.com': '-1' } } },
    ],
    statuses: [{ status: { hard: { 'count/widgets.example.com': '5' } } }],
  }),
  kindOf('namespaces', 'v1', 'Namespace', {
    family: 'cluster',
    namespaced: false,
    base: {},
    fragments: [{ spec: { finalizers: ['x.io/y'] } }, { spec: { finalizers: [] } }],
    statuses: [{ status: { phase: 'Terminating' } }, { status: { conditions: [{ type: 'A', status: 'True' }] } }],
  }),
  kindOf('nodes', 'v1', 'Node', {
    family: 'cluster',
    namespaced: false,
    base: {},
    fragments: [
      { spec: { unschedulable: true } },
      { spec: { providerID: 'p' } },
      { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
    ],
    statuses: [
      { status: { capacity: { cpu: '1000m' } } },
      { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
    ],
  }),
  kindOf('persistentvolumes', 'v1', 'PersistentVolume', {
    family: 'cluster',
    namespaced: false,
    base: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    fragments: [{ spec: { persistentVolumeReclaimPolicy: 'Delete' } }, { spec: { capacity: { storage: '1Mi' } } }],
    statuses: [{ status: { phase: 'Available' } }],
  }),
  kindOf('clusterroles', 'rbac.authorization.k8s.io/v1', 'ClusterRole', {
    family: 'cluster',
    namespaced: false,
    base: { rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] },
    fragments: [{ rules: null }, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }],
  }),
  kindOf('priorityclasses', 'scheduling.k8s.io/v1', 'PriorityClass', {
    family: 'cluster',
    namespaced: false,
    base: { value: 5 },
    fragments: [{ value: 6 }, { description: 'd' }, { preemptionPolicy: 'Never' }],
  }),
  kindOf('storageclasses', 'storage.k8s.io/v1', 'StorageClass', {
    family: 'cluster',
    namespaced: false,
    base: { provisioner: 'p' },
    fragments: [{ allowVolumeExpansion: true }, { provisioner: 'q' }, { reclaimPolicy: 'Retain' }],
  }),
];

const BY_ID = new Map(KINDS.map((kind) => [kind.id, kind]));

export function comparedKind(id: string): ComparedKind {
  const kind = BY_ID.get(id);
  if (kind === undefined) throw new TypeError(`no compared kind "${id}"`);
  return kind;
}
