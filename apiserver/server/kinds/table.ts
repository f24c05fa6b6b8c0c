/**
 * The built-in kinds: their discovery data, and their strategies as a table.
 *
 * Owns: update and generation policies (read from k8s.io/kubernetes `pkg/registry/<group>/<resource>/strategy.go`). Names, scopes and
 * versions are generated data. Other behaviour of a kind (defaults, initial status, rules) is in `behaviour.ts`. Start at {@link BUILT_IN}.
 */
import { valueAt } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import {
  NO_FIELDS,
  sameObject,
  type FieldReader,
  type GenerationPolicy,
  type NameRule,
  type ResourceDefinition,
  type ScalePaths,
  type ServedVersion,
  type Strategy,
} from '../definition.ts';
import { hpaFromStorage, hpaToStorage } from './autoscaling.ts';
import { BEHAVIOUR } from './behaviour.ts';
import { BuiltInSchema } from './builtin-schema.ts';
import { DISCOVERED, type DiscoveredResource } from './discovery-data.ts';
import { eventToStorage, eventFromStorage } from './events.ts';
import { metadataValidationOf } from './judging.ts';

/** The strategy of a resource in short form; everything else comes from discovery. */
interface Row {
  /** True if a PUT without a version is refused. */
  readonly conditional?: true;
  readonly createOnUpdate?: true;
  readonly generation?: GenerationPolicy;
  readonly name?: NameRule;
  readonly returnsDeleted?: true;
  readonly dependents?: 'orphan' | 'unsupported';
  readonly deletion?: Strategy['deletion'];
  /** The metadata that a write to /status does not change. */
  readonly statusKeeps?: 'metadata' | 'everything';
  readonly fields?: readonly string[];
}

const RBAC: Row = { createOnUpdate: true, name: 'path-segment' };
const SPEC: Row = { generation: 'spec' };
/** Webhook configurations and admission policies: everything but metadata counts as spec. */
const ADMISSION: Row = { conditional: true, generation: 'content' };
const ADMISSION_SPEC: Row = { conditional: true, generation: 'spec' };

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

/** Strategies by resource: `pods` or `deployments.apps`. Resources without an entry are as simple as a ConfigMap. */
const ROWS: { readonly [gr: string]: Row } = {
  namespaces: { name: 'label', returnsDeleted: true, deletion: 'namespace', fields: ['status.phase'] },
  secrets: { fields: ['type'] },
  pods: {
    generation: 'spec',
    returnsDeleted: true,
    deletion: 'pod',
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
  },
  services: { createOnUpdate: true, name: 'label', returnsDeleted: true, fields: ['spec.clusterIP', 'spec.type'] },
  serviceaccounts: { returnsDeleted: true },
  endpoints: { createOnUpdate: true },
  events: { createOnUpdate: true, dependents: 'unsupported', fields: EVENT_FIELDS },
  nodes: { fields: ['spec.unschedulable'] },
  persistentvolumeclaims: { returnsDeleted: true },
  persistentvolumes: { returnsDeleted: true },
  limitranges: { createOnUpdate: true },
  resourcequotas: { returnsDeleted: true },
  replicationcontrollers: { generation: 'spec', dependents: 'orphan', fields: ['status.replicas'] },
  podtemplates: { generation: 'content', returnsDeleted: true },
  'deployments.apps': { generation: 'spec-or-annotations' },
  'replicasets.apps': SPEC,
  'statefulsets.apps': { ...SPEC, name: 'label' },
  'daemonsets.apps': SPEC,
  'jobs.batch': { generation: 'spec', dependents: 'orphan', fields: ['status.successful'] },
  'cronjobs.batch': SPEC,
  'certificatesigningrequests.certificates.k8s.io': { name: 'path-segment', fields: ['spec.signerName'] },
  'poddisruptionbudgets.policy': { conditional: true, generation: 'spec', name: 'path-segment' },
  'leases.coordination.k8s.io': { conditional: true, createOnUpdate: true },
  'endpointslices.discovery.k8s.io': { generation: 'content-or-labels' },
  'ingresses.networking.k8s.io': SPEC,
  'ingressclasses.networking.k8s.io': SPEC,
  'networkpolicies.networking.k8s.io': SPEC,
  'ipaddresses.networking.k8s.io': { name: 'ip' },
  'runtimeclasses.node.k8s.io': { conditional: true, createOnUpdate: true },
  'roles.rbac.authorization.k8s.io': RBAC,
  'rolebindings.rbac.authorization.k8s.io': RBAC,
  'clusterroles.rbac.authorization.k8s.io': RBAC,
  'clusterrolebindings.rbac.authorization.k8s.io': RBAC,
  'flowschemas.flowcontrol.apiserver.k8s.io': { generation: 'spec', statusKeeps: 'everything' },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': { generation: 'spec', statusKeeps: 'everything' },
  'priorityclasses.scheduling.k8s.io': { generation: 'initial' },
  'deviceclasses.resource.k8s.io': { generation: 'spec', returnsDeleted: true },
  'resourceclaims.resource.k8s.io': { returnsDeleted: true, statusKeeps: 'metadata' },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true },
  'resourceslices.resource.k8s.io': {
    generation: 'spec',
    returnsDeleted: true,
    fields: ['spec.nodeName', 'spec.driver'],
  },
  'storageclasses.storage.k8s.io': { returnsDeleted: true },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },
  'csidrivers.storage.k8s.io': { conditional: true, generation: 'spec-changes', returnsDeleted: true },
  'csinodes.storage.k8s.io': { conditional: true, returnsDeleted: true },
  'csistoragecapacities.storage.k8s.io': { conditional: true },
  'volumeattachments.storage.k8s.io': { conditional: true, returnsDeleted: true, statusKeeps: 'metadata' },
  'servicecidrs.networking.k8s.io': { statusKeeps: 'metadata' },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': ADMISSION,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ADMISSION,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': ADMISSION_SPEC,
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': ADMISSION_SPEC,
  'validatingadmissionpolicies.admissionregistration.k8s.io': { ...ADMISSION_SPEC, statusKeeps: 'metadata' },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': ADMISSION_SPEC,
  'apiservices.apiregistration.k8s.io': { conditional: true, statusKeeps: 'metadata' },
  'customresourcedefinitions.apiextensions.k8s.io': {
    conditional: true,
    generation: 'spec',
    returnsDeleted: true,
    deletion: 'definition',
  },
};

/** The served subresources; the other ones need a kubelet. */
const SERVED_SUBRESOURCES: ReadonlySet<string> = new Set([
  'status',
  'scale',
  'finalize',
  'binding',
  'eviction',
  'token',
  'approval',
  'ephemeralcontainers',
]);

const READERS: { readonly [label: string]: FieldReader } = {
  'status.podIPs': (object) => readField(object, ['status', 'podIP']),
  'status.replicas': (object) => readField(object, ['status', 'replicas']) || '0',
  'status.successful': (object) => readField(object, ['status', 'succeeded']) || '0',
  source: (object) => readField(object, ['source', 'component']) || readField(object, ['reportingComponent']),
  'spec.unschedulable': (object) => readField(object, ['spec', 'unschedulable']) || 'false',
  'spec.hostNetwork': (object) => readField(object, ['spec', 'hostNetwork']) || 'false',
};

function readField(object: KubeObject, path: readonly string[]): string {
  const value = valueAt(object, path);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

/** Field labels of events.k8s.io/v1, for events in either form. */
const EVENT_TWIN_FIELDS: { readonly [label: string]: FieldReader } = Object.fromEntries(
  [
    'reason',
    'type',
    'reportingController',
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (one) => `regarding.${one}`,
    ),
  ].map((label) => {
    const fresh = label.split('.');
    const core = label
      .replace('regarding.', 'involvedObject.')
      .replace('reportingController', 'reportingComponent')
      .split('.');
    return [label, (object: KubeObject) => readField(object, core) || readField(object, fresh)];
  }),
);

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

function define(group: string, found: DiscoveredResource, versions: readonly string[]): ResourceDefinition {
  const { resource, responseKind, singularResource, scope, shortNames = [], categories = [] } = found;
  const { kind } = responseKind;
  const twin = group === 'events.k8s.io';
  const gr = group === '' || twin ? resource : `${resource}.${group}`;
  const row = ROWS[gr] ?? {};
  const subresources = new Set(
    (found.subresources ?? []).map((one) => one.subresource).filter((one) => SERVED_SUBRESOURCES.has(one)),
  );
  const served = (version: string): ServedVersion => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return {
      name: version,
      apiVersion,
      served: true,
      subresources,
      ...(subresources.has('scale') ? { scale: BUILT_IN_SCALE } : {}),
      schema: new BuiltInSchema(apiVersion, kind),
      fields: twin ? EVENT_TWIN_FIELDS : readers(row.fields),
      ...(CONVERSIONS[apiVersion] ?? UNCONVERTED),
      ...(DEPRECATED[gr] === undefined ? {} : { deprecated: DEPRECATED[gr] }),
    };
  };
  return {
    group,
    resource,
    singular: singularResource,
    kind,
    listKind: `${kind}List`,
    namespaced: scope === 'Namespaced',
    shortNames,
    categories,
    gr,
    custom: false,
    terminating: false,
    versions: versions.map(served),
    strategy: {
      unconditionalUpdate: row.conditional !== true,
      createOnUpdate: row.createOnUpdate === true,
      generation: row.generation ?? 'none',
      name: row.name ?? 'subdomain',
      metadataValidation: metadataValidationOf(twin ? `${resource}.${group}` : gr),
      returnsDeleted: row.returnsDeleted === true,
      dependents: row.dependents ?? 'background',
      deletion: row.deletion ?? 'plain',
      ...(row.statusKeeps === undefined ? {} : { statusKeeps: row.statusKeeps }),
      ...BEHAVIOUR[gr],
    },
  };
}

/** Warnings that are added to every answer about a resource. */
const DEPRECATED: { readonly [gr: string]: string } = {
  componentstatuses: 'v1 ComponentStatus is deprecated in v1.19+',
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

type Conversion = Pick<ServedVersion, 'toStorage' | 'fromStorage'>;

const UNCONVERTED: Conversion = { toStorage: sameObject, fromStorage: sameObject };

/** Versions that are stored in another form. */
const CONVERSIONS: { readonly [apiVersion: string]: Conversion } = {
  'events.k8s.io/v1': { toStorage: eventToStorage, fromStorage: eventFromStorage },
  'autoscaling/v1': { toStorage: hpaToStorage, fromStorage: hpaFromStorage },
};

/** Reports whether a resource is stored: resources with create and list are, other resources are virtual. */
function isStored({ verbs }: DiscoveredResource): boolean {
  return verbs.includes('list') && verbs.includes('create');
}

function all(): readonly ResourceDefinition[] {
  const definitions: ResourceDefinition[] = [];
  for (const { group, versions } of DISCOVERED) {
    const names = versions.map((one) => one.version);
    for (const found of versions[0]?.resources ?? [])
      if (isStored(found)) definitions.push(define(group, found, names));
  }
  return definitions;
}

/** Every built-in kind. */
export const BUILT_IN: readonly ResourceDefinition[] = all();

/** Returns the built-in resources by plural name and group: `pods`, `deployments.apps`. */
export function builtInResources(): ReadonlySet<string> {
  return new Set(BUILT_IN.map(({ gr }) => gr));
}

/** Initial namespaces. */
export const BOOT_NAMESPACES: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export function bootNamespace(name: string): JsonObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}
