/**
 * The built-in kinds, as a table.
 *
 * Owns: names, scopes, update and generation policies (read from k8s.io/kubernetes `pkg/registry/<group>/<resource>/strategy.go`). What a
 * kind does beyond the table (defaults, initial status, rules) is in `behaviour.ts`. Start at {@link BUILT_IN}.
 */
import type { JsonObject, KubeObject } from '../../model/object.ts';
import {
  NO_FIELDS,
  sameObject,
  valueAt,
  type FieldReader,
  type GenerationPolicy,
  type NameRule,
  type ResourceDefinition,
  type ScalePaths,
  type ServedVersion,
  type Strategy,
} from '../definition.ts';
import { BEHAVIOUR } from './behaviour.ts';
import { eventToStorage, eventFromStorage } from './events.ts';

interface Row {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly singular?: string;
  readonly kind: string;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly cluster?: true;
  /** PUT without a version is refused. */
  readonly conditional?: true;
  readonly createOnUpdate?: true;
  readonly generation?: GenerationPolicy;
  readonly name?: NameRule;
  readonly subresources?: readonly string[];
  readonly returnsDeleted?: true;
  readonly dependents?: 'unsupported';
  readonly deletion?: Strategy['deletion'];
  readonly fields?: readonly string[];
  /** Further versions that serve the same objects. */
  readonly also?: readonly Pick<ServedVersion, 'name' | 'toStorage' | 'fromStorage'>[];
}

const ALL = ['all'] as const;
const STATUS = ['status'] as const;
const STATUS_SCALE = ['status', 'scale'] as const;
const RBAC = 'rbac.authorization.k8s.io';
const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
] as const;

const ROWS: readonly Row[] = [
  {
    resource: 'namespaces',
    kind: 'Namespace',
    short: ['ns'],
    cluster: true,
    name: 'label',
    returnsDeleted: true,
    deletion: 'namespace',
    subresources: ['status', 'finalize'],
    fields: ['status.phase'],
  },
  { resource: 'configmaps', kind: 'ConfigMap', short: ['cm'] },
  { resource: 'secrets', kind: 'Secret', fields: ['type'] },
  {
    resource: 'pods',
    kind: 'Pod',
    short: ['po'],
    categories: ALL,
    generation: 'spec',
    returnsDeleted: true,
    deletion: 'pod',
    subresources: ['status', 'binding', 'eviction'],
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.nominatedNodeName',
    ],
  },
  {
    resource: 'services',
    kind: 'Service',
    short: ['svc'],
    categories: ALL,
    createOnUpdate: true,
    name: 'service',
    returnsDeleted: true,
    subresources: STATUS,
    fields: ['spec.clusterIP', 'spec.type'],
  },
  { resource: 'serviceaccounts', kind: 'ServiceAccount', short: ['sa'], returnsDeleted: true },
  { resource: 'endpoints', singular: 'endpoints', kind: 'Endpoints', short: ['ep'], createOnUpdate: true },
  {
    resource: 'events',
    kind: 'Event',
    short: ['ev'],
    createOnUpdate: true,
    dependents: 'unsupported',
    fields: EVENT_FIELDS,
  },
  {
    resource: 'nodes',
    kind: 'Node',
    short: ['no'],
    cluster: true,
    subresources: STATUS,
    fields: ['spec.unschedulable'],
  },
  {
    resource: 'persistentvolumeclaims',
    kind: 'PersistentVolumeClaim',
    short: ['pvc'],
    returnsDeleted: true,
    subresources: STATUS,
  },
  {
    resource: 'persistentvolumes',
    kind: 'PersistentVolume',
    short: ['pv'],
    cluster: true,
    returnsDeleted: true,
    subresources: STATUS,
  },
  { resource: 'limitranges', kind: 'LimitRange', short: ['limits'], createOnUpdate: true },
  { resource: 'resourcequotas', kind: 'ResourceQuota', short: ['quota'], returnsDeleted: true, subresources: STATUS },
  {
    resource: 'replicationcontrollers',
    kind: 'ReplicationController',
    short: ['rc'],
    categories: ALL,
    generation: 'spec',
    subresources: STATUS_SCALE,
  },
  { resource: 'podtemplates', kind: 'PodTemplate', generation: 'content', returnsDeleted: true },
  {
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    short: ['deploy'],
    categories: ALL,
    generation: 'spec-or-annotations',
    subresources: STATUS_SCALE,
  },
  {
    group: 'apps',
    resource: 'replicasets',
    kind: 'ReplicaSet',
    short: ['rs'],
    categories: ALL,
    generation: 'spec',
    subresources: STATUS_SCALE,
  },
  {
    group: 'apps',
    resource: 'statefulsets',
    kind: 'StatefulSet',
    short: ['sts'],
    categories: ALL,
    generation: 'spec',
    subresources: STATUS_SCALE,
  },
  {
    group: 'apps',
    resource: 'daemonsets',
    kind: 'DaemonSet',
    short: ['ds'],
    categories: ALL,
    generation: 'spec',
    subresources: STATUS,
  },
  { group: 'apps', resource: 'controllerrevisions', kind: 'ControllerRevision' },
  {
    group: 'batch',
    resource: 'jobs',
    kind: 'Job',
    categories: ALL,
    generation: 'spec',
    subresources: STATUS,
    fields: ['status.successful'],
  },
  {
    group: 'batch',
    resource: 'cronjobs',
    kind: 'CronJob',
    short: ['cj'],
    categories: ALL,
    generation: 'spec',
    subresources: STATUS,
  },
  {
    group: 'autoscaling',
    version: 'v2',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    short: ['hpa'],
    categories: ALL,
    subresources: STATUS,
  },
  {
    group: 'policy',
    resource: 'poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    short: ['pdb'],
    conditional: true,
    generation: 'spec',
    subresources: STATUS,
  },
  { group: 'coordination.k8s.io', resource: 'leases', kind: 'Lease', conditional: true, createOnUpdate: true },
  { group: 'discovery.k8s.io', resource: 'endpointslices', kind: 'EndpointSlice', generation: 'content-or-labels' },
  {
    group: 'networking.k8s.io',
    resource: 'ingresses',
    kind: 'Ingress',
    short: ['ing'],
    generation: 'spec',
    subresources: STATUS,
  },
  { group: 'networking.k8s.io', resource: 'ingressclasses', kind: 'IngressClass', cluster: true, generation: 'spec' },
  {
    group: 'networking.k8s.io',
    resource: 'networkpolicies',
    kind: 'NetworkPolicy',
    short: ['netpol'],
    generation: 'spec',
  },
  { group: RBAC, resource: 'roles', kind: 'Role', createOnUpdate: true, name: 'path-segment' },
  { group: RBAC, resource: 'rolebindings', kind: 'RoleBinding', createOnUpdate: true, name: 'path-segment' },
  {
    group: RBAC,
    resource: 'clusterroles',
    kind: 'ClusterRole',
    cluster: true,
    createOnUpdate: true,
    name: 'path-segment',
  },
  {
    group: RBAC,
    resource: 'clusterrolebindings',
    kind: 'ClusterRoleBinding',
    cluster: true,
    createOnUpdate: true,
    name: 'path-segment',
  },
  {
    group: 'scheduling.k8s.io',
    resource: 'priorityclasses',
    kind: 'PriorityClass',
    short: ['pc'],
    cluster: true,
    generation: 'content',
  },
  {
    group: 'storage.k8s.io',
    resource: 'storageclasses',
    kind: 'StorageClass',
    short: ['sc'],
    cluster: true,
    returnsDeleted: true,
  },
  {
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    kind: 'CustomResourceDefinition',
    short: ['crd', 'crds'],
    categories: ['api-extensions'],
    cluster: true,
    conditional: true,
    generation: 'spec',
    returnsDeleted: true,
    deletion: 'definition',
    subresources: STATUS,
  },
];

const READERS: { readonly [label: string]: FieldReader } = {
  'status.successful': (object) => readField(object, ['status', 'succeeded']) || '0',
  source: (object) => readField(object, ['source', 'component']) || readField(object, ['reportingComponent']),
  'spec.unschedulable': (object) => readField(object, ['spec', 'unschedulable']) || 'false',
  'spec.hostNetwork': (object) => readField(object, ['spec', 'hostNetwork']) || 'false',
};

function readField(object: KubeObject, path: readonly string[]): string {
  const value = valueAt(object, path);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

function readers(labels: readonly string[] | undefined): { readonly [label: string]: FieldReader } {
  if (labels === undefined) return NO_FIELDS;
  return Object.fromEntries(
    labels.map((label) => {
      const path = label.split('.');
      return [label, READERS[label] ?? ((object: KubeObject) => readField(object, path))];
    }),
  );
}

const BUILT_IN_SCALE: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: [],
};

function define(row: Row): ResourceDefinition {
  const { group = '', version = 'v1', resource, kind, subresources = [] } = row;
  const gr = group === '' ? resource : `${resource}.${group}`;
  const served = (name: string, apiGroup: string): ServedVersion => ({
    name,
    apiVersion: apiGroup === '' ? name : `${apiGroup}/${name}`,
    served: true,
    subresources: new Set(subresources),
    ...(subresources.includes('scale') ? { scale: BUILT_IN_SCALE } : {}),
    fields: readers(row.fields),
    toStorage: sameObject,
    fromStorage: sameObject,
  });
  return {
    group,
    resource,
    singular: row.singular ?? kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: row.cluster !== true,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    gr,
    custom: false,
    terminating: false,
    versions: [served(version, group)],
    strategy: {
      unconditionalUpdate: row.conditional !== true,
      createOnUpdate: row.createOnUpdate === true,
      generation: row.generation ?? 'none',
      name: row.name ?? 'subdomain',
      returnsDeleted: row.returnsDeleted === true,
      dependents: row.dependents ?? 'background',
      deletion: row.deletion ?? 'plain',
      ...BEHAVIOUR[gr],
    },
  };
}

/** `events.k8s.io/v1` serves the objects of core events under other field names. */
function eventsTwin(core: ResourceDefinition): ResourceDefinition {
  const [version] = core.versions;
  if (version === undefined) return core;
  return {
    ...core,
    group: 'events.k8s.io',
    versions: [
      {
        ...version,
        apiVersion: 'events.k8s.io/v1',
        fields: NO_FIELDS,
        toStorage: eventToStorage,
        fromStorage: eventFromStorage,
      },
    ],
  };
}

function all(): readonly ResourceDefinition[] {
  const definitions = ROWS.map(define);
  const events = definitions.find((one) => one.gr === 'events');
  return events === undefined ? definitions : [...definitions, eventsTwin(events)];
}

/** Every built-in kind. */
export const BUILT_IN: readonly ResourceDefinition[] = all();

/** Namespaces that exist from the start. */
export const BOOT_NAMESPACES: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export function bootNamespace(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
