/** Kinds that hold data, names and addresses. */
import { kindOf, type ComparedKind } from './compared-kind.ts';

/** Kinds that other kinds refer to. */
export const CONTENT: readonly ComparedKind[] = [
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
];

/** Services and their endpoints, events, limit ranges and volume claims. */
export const PLACES: readonly ComparedKind[] = [
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
];

/** Locks. */
export const LEASES: readonly ComparedKind[] = [
  kindOf('leases', 'coordination.k8s.io/v1', 'Lease', {
    base: { spec: { holderIdentity: 'me', leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' } },
    fragments: [
      { spec: { holderIdentity: 'you', leaseTransitions: 1 } },
      { spec: { renewTime: '2020-01-01T00:00:01.5Z' } },
      { spec: { leaseDurationSeconds: 0 } },
      { spec: { renewTime: 'now' } },
    ],
  }),
];
