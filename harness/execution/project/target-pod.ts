/**
 * Builds the pod of an incarnation inside a cluster, from the template of its Deployment or from an image alone.
 *
 * The pod is bound to its node and never restarted: each incarnation is a separate pod. The variables in which client libraries look for
 * the API server's address contain the address of the gate. Fields that cannot be satisfied in that cluster are left out: images that are
 * not available, other nodes, and probes, which would restart a target that is blocked because the schedule holds its requests. Start at
 * {@link planPod} and {@link podObjects}.
 */
import { ACCOUNT, serviceVariables } from '../../actors/process/access.ts';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { isMap, mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { PodAccess } from '../../actors/process/pod-incarnation.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { Subject } from '../subject.ts';
import { find, targetWorkload, type TargetWorkload } from './deployment.ts';
import { serviceNames } from './webhooks.ts';

/** The parts that all incarnations share. */
export interface PodPlan {
  readonly namespace: string;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly container: string;
  /** Entries of the pod's Secret, in addition to the API access. */
  readonly certificates: { readonly [file: string]: string };
  readonly warnings: readonly string[];
}

const ACCOUNT_PATH = `/var/run/${ACCOUNT}`;
const ACCESS = 'stalemate-access';
const CERTIFICATES = ['tls.crt', 'tls.key', 'ca.crt'] as const;
/** Fields that refer to schedulers, registries and priorities, none of which exist in that cluster. */
const LEFT_OUT = [
  'nodeSelector',
  'affinity',
  'topologySpreadConstraints',
  'tolerations',
  'imagePullSecrets',
  'schedulerName',
  'priorityClassName',
  'priority',
  'runtimeClassName',
];
const LEFT_OUT_OF_CONTAINERS = ['livenessProbe', 'readinessProbe', 'startupProbe'];
const CONTAINER = 'target';
/** The resources that a pod requests: few, so that the reservations of several incarnations fit on one small node. */
const REQUESTS: { readonly [resource: string]: string } = { cpu: '1m', memory: '1Mi', 'ephemeral-storage': '1Mi' };

/**
 * Returns the plan for a target's pods.
 *
 * @param images - Maps the available images to their names in the cluster.
 */
export function planPod(
  target: ProcessTarget,
  { project, namespace }: Pick<Subject, 'project' | 'namespace'>,
  images: { readonly [image: string]: string },
): PodPlan {
  const [image = '', ...args] = target.command;
  const workload = (project === null ? undefined : targetWorkload(project, namespace)) ?? plain(image, namespace);
  const objects = project?.objects ?? [];
  const env = Object.entries(target.env).map(([name, value]) => ({ name, value }));
  const missing: string[] = [];
  const containers = (field: string): readonly JsonObject[] =>
    mapsOf(workload.pod[field]).flatMap((container) => {
      const isTarget = container['name'] === workload.container['name'] && field === 'containers';
      const wanted = isTarget ? image : textOf(container['image']);
      const there = images[wanted];
      if (there === undefined) missing.push(`${textOf(container['name'])} (${wanted})`);
      return there === undefined ? [] : [adapted(container, there, isTarget ? { args, env } : { args: [], env: [] })];
    });
  const kept = without(workload.pod, LEFT_OUT);
  const spec = {
    ...kept,
    restartPolicy: 'Never',
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    initContainers: containers('initContainers'),
    containers: containers('containers'),
    volumes: mapsOf(workload.pod['volumes']).map((volume) => provided(volume, workload, objects)),
  };
  return {
    namespace: workload.namespace,
    metadata: mapOf(mapOf(mapOf(workload.object['spec'])['template'])['metadata']),
    spec,
    container: textOf(workload.container['name']),
    certificates: certificatesFor(objects),
    warnings:
      missing.length === 0
        ? []
        : [`of the Deployment's pod, ${missing.join(', ')} is skipped: the engine does not have its image`],
  };
}

/** Returns the objects of one incarnation. */
export function podObjects(
  plan: PodPlan,
  { host, port, ca, token }: PodAccess,
  { name, node }: { readonly name: string; readonly node: string },
): { readonly pod: KubeObject; readonly secret: KubeObject; readonly container: string } {
  const { namespace, metadata, container, certificates } = plan;
  const variables = serviceVariables(host, String(port)).map(([variable, value]) => ({ name: variable, value }));
  const mount = { name: ACCESS, mountPath: ACCOUNT_PATH, readOnly: true };
  const led = (one: JsonObject): JsonObject => ({
    ...one,
    env: [...mapsOf(one['env']).filter((variable) => !isLead(variable)), ...variables],
    volumeMounts: [...mapsOf(one['volumeMounts']).filter(({ mountPath }) => mountPath !== ACCOUNT_PATH), mount],
  });
  const files = ['token', 'ca.crt', 'namespace'].map((key) => ({ key: `access.${key}`, path: key }));
  const withCertificates = (volume: JsonObject): JsonObject =>
    volume['secret'] === ACCESS ? { name: volume['name'] ?? '', secret: certificateSource(name) } : volume;
  const spec = {
    ...plan.spec,
    nodeName: node,
    initContainers: mapsOf(plan.spec['initContainers']).map(led),
    containers: mapsOf(plan.spec['containers']).map(led),
    volumes: [
      ...mapsOf(plan.spec['volumes']).map(withCertificates),
      { name: ACCESS, secret: { secretName: name, items: files } },
    ],
  };
  const stringData = { 'access.token': token, 'access.ca.crt': ca, 'access.namespace': namespace, ...certificates };
  return {
    pod: { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name, namespace }, spec },
    secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData },
    container,
  };
}

function isLead({ name }: JsonObject): boolean {
  return /^KUBERNETES_SERVICE_(?:HOST|PORT|PORT_HTTPS)$/.test(textOf(name));
}

/** Returns a workload that consists only of an image. */
function plain(image: string, namespace: string): TargetWorkload {
  const container = { name: CONTAINER, image };
  const pod = { containers: [container] };
  return { object: { apiVersion: 'v1', kind: 'Pod', metadata: {} }, namespace, pod, container };
}

function adapted(
  container: JsonObject,
  image: string,
  { args, env }: { readonly args: readonly string[]; readonly env: readonly JsonObject[] },
): JsonObject {
  return {
    ...without(container, LEFT_OUT_OF_CONTAINERS),
    resources: resourcesOf(mapOf(container['resources'])),
    image,
    imagePullPolicy: 'Never',
    ...(args.length === 0 ? {} : { args }),
    env: [...mapsOf(container['env']), ...env],
  };
}

/**
 * Returns the container's limits, and a small request for each resource that it requests, as a quota may require; extended resources such
 * as devices are left out.
 */
function resourcesOf(resources: JsonObject): JsonObject {
  const limits = mapOf(resources['limits']);
  const asked = { ...limits, ...mapOf(resources['requests']) };
  const known = (all: JsonObject, of: (name: string) => JsonObject[string] | undefined): JsonObject =>
    Object.fromEntries(Object.keys(REQUESTS).flatMap((name) => (name in all ? [[name, of(name) ?? '']] : [])));
  return { limits: known(limits, (name) => limits[name]), requests: known(asked, (name) => REQUESTS[name]) };
}

/**
 * Replaces sources that the manifests do not contain. A missing Secret usually contains certificates that are created in a cluster, so
 * certificates are provided; an optional Secret may be missing.
 */
function provided(volume: JsonObject, { namespace }: TargetWorkload, objects: readonly KubeObject[]): JsonObject {
  const { secret, configMap } = volume;
  if (
    isMap(secret) &&
    secret['optional'] !== true &&
    find(objects, 'Secret', namespace, textOf(secret['secretName'])) === undefined
  )
    return { name: volume['name'] ?? '', secret: ACCESS };
  if (isMap(configMap) && find(objects, 'ConfigMap', namespace, textOf(configMap['name'])) === undefined)
    return { ...volume, configMap: { ...configMap, optional: true } };
  return volume;
}

function certificateSource(secretName: string): JsonObject {
  return { secretName, items: CERTIFICATES.map((file) => ({ key: file, path: file })) };
}

function certificatesFor(objects: readonly KubeObject[]): PodPlan['certificates'] {
  const authority = new CertificateAuthority();
  const { certificate, key } = authority.issueServer(serviceNames(objects));
  return { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority.certificate };
}

function without(map: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([name]) => !names.includes(name)));
}
