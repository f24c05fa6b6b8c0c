/** Pods and workloads. */
import type { JsonObject } from '../../../objects/object.ts';
import { kindOf, type ComparedKind } from './compared-kind.ts';
import { POD_SPEC, SELECTOR, TEMPLATE } from './pod-parts.ts';

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

/** Pods without a workload. */
export const PODS: readonly ComparedKind[] = [
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
];

/** Workloads with templates. */
export const WORKLOADS: readonly ComparedKind[] = [
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
];
