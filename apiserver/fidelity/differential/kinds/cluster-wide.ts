/** Kinds without a namespace. */
import { kindOf, type ComparedKind } from './compared-kind.ts';

export const CLUSTER_WIDE: readonly ComparedKind[] = [
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
