/**
 * The key under which kube-apiserver stores an object in etcd.
 *
 * Mirrors `SpecialDefaultResourcePrefixes` of pkg/kubeapiserver/default_storage_factory_builder.go, and the registry of custom resources,
 * whose keys contain the group. Owns: the format, and which keys only the server itself writes. Start at {@link storageKey}.
 */
import { groupResource, objectKey, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { ObservedChange } from '../../gate/recorder.ts';

/** Resources whose keys do not use their own name. */
const PREFIXES: { readonly [resource: string]: string } = {
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  services: 'services/specs',
  nodes: 'minions',
  'ingresses.networking.k8s.io': 'ingress',
};

/** Groups of Kubernetes itself whose keys nevertheless contain the group, because other servers store their objects. */
const AGGREGATED = ['apiextensions.k8s.io', 'apiregistration.k8s.io'];

/**
 * Returns, for example, `/registry/pods/default/a` or `/registry/example.com/widgets/default/a`. `builtIn`: the kind is not defined by a
 * CRD.
 */
export function storageKey(kind: ResourceKind, builtIn: boolean, { metadata }: KubeObject): string {
  const { group, resource } = kind;
  const prefix =
    builtIn && !AGGREGATED.includes(group) ? (PREFIXES[groupResource(kind)] ?? resource) : `${group}/${resource}`;
  const { namespace = '', name = '' } = metadata;
  return ['/registry', prefix, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** The name prefix of pods that are incarnations of a target (`kind/pods.ts`). */
export const TARGET_POD = 'stalemate-target-';
/** The pattern of the node of one of our kind clusters (named by `kind/kind-cluster.ts`), and of kwok's node (`node.ts`). */
const NODE = String.raw`stalemate-(?:[a-z0-9-]+-control-plane|kwok)`;
/** Patterns of the objects that a kubelet writes for its node and its static pods, and of the leases for leader election. */
const KUBELETS = [
  String.raw`(?:leases/kube-node-lease|leases\.coordination\.k8s\.io/kube-node-lease)/${NODE}$`,
  String.raw`(?:minions|nodes|csinodes|csinodes\.storage\.k8s\.io)/${NODE}$`,
  String.raw`pods/kube-system/[a-z-]+-${NODE}$`,
  String.raw`events/(?:default|kube-system)/(?:[a-z-]+-)?${NODE}\.`,
  String.raw`(?:leases|leases\.coordination\.k8s\.io)/kube-system/kube-(?:controller-manager|scheduler)$`,
];

/** Matches the storage keys of a target's pods, of the Secrets that they mount, and of the kubelet's events about them. */
const TARGETS = String.raw`(?:pods|secrets|events)/[a-z0-9-]+/${TARGET_POD}[^/]+$`;
const TARGETS_KEY = new RegExp(`^/registry/${TARGETS}`);

/** Keys that the server writes for itself at any time. */
const OWN_KEYS = [
  TARGETS_KEY,
  ...KUBELETS.map((pattern) => new RegExp(`^/registry/${pattern}`)),
  /^\/registry\/leases\/kube-system\/apiserver-/,
  /^\/registry\/(?:masterleases|peerserverleases|apiregistration\.k8s\.io)\//,
  /^\/registry\/configmaps\/kube-system\/(?:extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking)$/,
];
/** The same as {@link OWN_KEYS}, for the keys of objects. */
const OWN_OBJECTS = [
  new RegExp(`^${TARGETS}`),
  ...KUBELETS.map((pattern) => new RegExp(`^${pattern}`)),
  /^leases\.coordination\.k8s\.io\/kube-system\/apiserver-/,
  /^apiservices\.apiregistration\.k8s\.io\//,
  /^configmaps\/kube-system\/(?:extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking)$/,
];

/** Reports whether only the server itself writes a key. */
export function isServersKey(key: string): boolean {
  return OWN_KEYS.some((pattern) => pattern.test(key));
}

/** Reports whether a key belongs to an incarnation of a target. */
export function isTargetsKey(key: string): boolean {
  return TARGETS_KEY.test(key);
}

/** Reports whether only the server itself writes an object. */
export function isServersObject(change: Pick<ObservedChange, 'resource' | 'namespace' | 'name'>): boolean {
  const key = objectKey(change.resource, change.namespace, change.name);
  return OWN_OBJECTS.some((pattern) => pattern.test(key));
}
