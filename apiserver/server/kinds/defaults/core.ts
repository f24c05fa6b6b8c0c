/** Defaults of the core types (k8s.io/kubernetes `pkg/apis/core/v1/defaults.go` and the `+default` tags of the types). */
import { isList, isMap } from '../../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { fill, inItems, inMap } from '../fill.ts';
import { filling, inMade, mapIn, without, type Defaults } from './rules.ts';

/** Defaults the mode of files to 0644. */
const MODE = filling({ defaultMode: 420 });

const DOMAIN = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::\d+)?`;
const STEP = String.raw`[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*`;
const DIGEST = String.raw`[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[a-fA-F0-9]{32,}`;
/** An image reference as parsed by distribution's `reference` package, with tag and digest. */
const REFERENCE = new RegExp(
  String.raw`^(?:${DOMAIN}/)?${STEP}(?:/${STEP})*(?::([\w][\w.-]{0,127}))?(?:@(${DIGEST}))?$`,
);

/**
 * Returns `Always` for the tag `latest` and for a missing tag. An image that cannot be parsed (`ko://…`) gets `IfNotPresent`, although it
 * has no tag either.
 */
function pullPolicy(image: JsonValue | undefined): string {
  if (typeof image !== 'string') return 'Always';
  const read = REFERENCE.exec(image);
  if (read === null) return 'IfNotPresent';
  const [, tag, digest] = read;
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}

const TERMINATION: JsonObject = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };

function container(map: JsonObject): JsonObject {
  const filled = fill(map, TERMINATION);
  return filled['imagePullPolicy'] === undefined ? { ...filled, imagePullPolicy: pullPolicy(filled['image']) } : filled;
}

/** Adds an emptyDir to a volume without a source. */
function volume(map: JsonObject): JsonObject {
  for (const key in map) if (key !== 'name' && map[key] !== undefined) return withImagePolicy(map);
  return { ...map, emptyDir: {} };
}

function withImagePolicy(map: JsonObject): JsonObject {
  return inMap(map, 'image', (image) =>
    image['pullPolicy'] === undefined ? { ...image, pullPolicy: pullPolicy(image['reference']) } : image,
  );
}

function podSpec(map: JsonObject): JsonObject {
  const filled = fill(map, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
    schedulerName: 'default-scheduler',
  });
  // The field has two names, of which `serviceAccount` is deprecated.
  const account = filled['serviceAccountName'] ?? filled['serviceAccount'];
  if (account === undefined || (filled['serviceAccountName'] === account && filled['serviceAccount'] === account))
    return filled;
  return { ...filled, serviceAccountName: account, serviceAccount: account };
}

function pod(map: JsonObject): JsonObject {
  return inMap(map, 'spec', (given) => {
    let spec = inItems(inItems(given, 'containers', requestsFromLimits), 'initContainers', requestsFromLimits);
    spec = fill(spec, { enableServiceLinks: true });
    spec = inMap(spec, 'resources', (resources) => podRequests(resources, spec));
    if (spec['hostNetwork'] !== true) return spec;
    return inItems(inItems(spec, 'containers', hostPorts), 'initContainers', hostPorts);
  });
}

/** Defaults requests to limits; only in pods, not in templates. */
function requestsFromLimits(given: JsonObject): JsonObject {
  return inMap(given, 'resources', (resources) => {
    const { limits } = resources;
    if (!isMap(limits)) return resources;
    const requests = mapIn(resources, 'requests');
    const filled = fill(requests, limits);
    return filled === requests ? resources : { ...resources, requests: filled };
  });
}

/** Returns pod-level requests: those of the only container if it sets them, otherwise the pod's limits. */
function podRequests(resources: JsonObject, spec: JsonObject): JsonObject {
  const { limits } = resources;
  if (!isMap(limits)) return resources;
  const containers = isList(spec['containers']) ? spec['containers'].filter(isMap) : [];
  const [only] = containers;
  const ofContainer = containers.length === 1 && only !== undefined ? mapIn(mapIn(only, 'resources'), 'requests') : {};
  const requests = mapIn(resources, 'requests');
  const filled = fill(fill(requests, ofContainer), limits);
  return filled === requests ? resources : { ...resources, requests: filled };
}

function hostPorts(given: JsonObject): JsonObject {
  return inItems(given, 'ports', (port) => fill(port, { hostPort: port['containerPort'] }));
}

function servicePort(port: JsonObject): JsonObject {
  const filled = fill(port, { protocol: 'TCP' });
  const target = filled['targetPort'];
  return target === undefined || target === 0 || target === '' ? { ...filled, targetPort: port['port'] } : filled;
}

const AFFINITY_SECONDS = 10_800;

function service(map: JsonObject): JsonObject {
  if (mapIn(map, 'spec')['type'] !== 'LoadBalancer') return serviceWithSpec(map);
  return inMap(serviceWithSpec(map), 'status', (status) =>
    inMap(status, 'loadBalancer', (balancer) =>
      inItems(balancer, 'ingress', (one) => (one['ip'] === undefined ? one : fill(one, { ipMode: 'VIP' }))),
    ),
  );
}

function serviceWithSpec(map: JsonObject): JsonObject {
  return inMade(map, 'spec', (given) => {
    let spec = fill(given, { sessionAffinity: 'None', type: 'ClusterIP' });
    const { type } = spec;
    if (spec['sessionAffinity'] === 'None') spec = without(spec, 'sessionAffinityConfig');
    else if (mapIn(mapIn(spec, 'sessionAffinityConfig'), 'clientIP')['timeoutSeconds'] === undefined)
      spec = { ...spec, sessionAffinityConfig: { clientIP: { timeoutSeconds: AFFINITY_SECONDS } } };
    const external = type === 'NodePort' || type === 'LoadBalancer';
    if (external || (type === 'ClusterIP' && isList(spec['externalIPs'])))
      spec = fill(spec, { externalTrafficPolicy: 'Cluster' });
    if (external || type === 'ClusterIP') spec = fill(spec, { internalTrafficPolicy: 'Cluster' });
    return type === 'LoadBalancer' ? fill(spec, { allocateLoadBalancerNodePorts: true }) : spec;
  });
}

function limitRangeItem(item: JsonObject): JsonObject {
  if (item['type'] !== 'Container') return item;
  const limits = fill(mapIn(item, 'default'), mapIn(item, 'max'));
  const requests = fill(fill(mapIn(item, 'defaultRequest'), limits), mapIn(item, 'min'));
  const some = (key: string, map: JsonObject): JsonObject =>
    map === item[key] || Object.keys(map).length === 0 ? {} : { [key]: map };
  const added = { ...some('default', limits), ...some('defaultRequest', requests) };
  return Object.keys(added).length === 0 ? item : { ...item, ...added };
}

function replicationController(map: JsonObject): JsonObject {
  return inMap(map, 'spec', (given) => {
    const spec = fill(given, { replicas: 1 });
    const labels = mapIn(mapIn(spec, 'template'), 'metadata')['labels'];
    return isMap(labels) ? fill(spec, { selector: labels }) : spec;
  });
}

/** Defaulting rules by Go type. */
export const CORE_DEFAULTS: Defaults = {
  'core/v1.AzureDiskVolumeSource': filling({
    cachingMode: 'ReadWrite',
    fsType: 'ext4',
    kind: 'Shared',
    readOnly: false,
  }),
  'core/v1.ConfigMapVolumeSource': MODE,
  'core/v1.Container': container,
  'core/v1.ContainerPort': filling({ protocol: 'TCP' }),
  'core/v1.DownwardAPIVolumeSource': MODE,
  'core/v1.EndpointPort': filling({ protocol: 'TCP' }),
  'core/v1.EphemeralContainer': container,
  'core/v1.HTTPGetAction': filling({ path: '/', scheme: 'HTTP' }),
  'core/v1.HostPathVolumeSource': filling({ type: '' }),
  'core/v1.ISCSIPersistentVolumeSource': filling({ iscsiInterface: 'default' }),
  'core/v1.ISCSIVolumeSource': filling({ iscsiInterface: 'default' }),
  'core/v1.LimitRangeItem': limitRangeItem,
  'core/v1.NamespaceStatus': filling({ phase: 'Active' }),
  'core/v1.NodeStatus': (map) => (map['capacity'] === undefined ? map : fill(map, { allocatable: map['capacity'] })),
  'core/v1.ObjectFieldSelector': filling({ apiVersion: 'v1' }),
  'core/v1.PersistentVolume': (map) =>
    inMap(map, 'spec', (spec) => fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' })),
  'core/v1.PersistentVolumeClaim': (map) => inMade(map, 'status', filling({ phase: 'Pending' })),
  'core/v1.PersistentVolumeClaimSpec': filling({ volumeMode: 'Filesystem' }),
  'core/v1.Pod': pod,
  'core/v1.PodSpec': podSpec,
  'core/v1.Probe': filling({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  'core/v1.ProjectedVolumeSource': MODE,
  'core/v1.GRPCAction': filling({ service: '' }),
  'core/v1.RBDPersistentVolumeSource': filling({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  'core/v1.RBDVolumeSource': filling({ pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  'core/v1.ReplicationController': replicationController,
  'core/v1.ScaleIOPersistentVolumeSource': filling({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  'core/v1.ScaleIOVolumeSource': filling({ storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  'core/v1.Secret': filling({ type: 'Opaque' }),
  'core/v1.SecretVolumeSource': MODE,
  'core/v1.Service': service,
  'core/v1.ServiceAccountTokenProjection': filling({ expirationSeconds: 3600 }),
  'core/v1.ServicePort': servicePort,
  'core/v1.Volume': volume,
};
