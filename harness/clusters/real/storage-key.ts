/**
 * Under which key kube-apiserver keeps an object in etcd.
 *
 * Mirrors `SpecialDefaultResourcePrefixes` of pkg/kubeapiserver/default_storage_factory_builder.go, and the registry of custom resources,
 * whose keys hold their group. Owns: the spelling, and which keys are the server's own business. Start at {@link storageKey}.
 */
import { groupResource, objectKey, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import type { ObservedChange } from '../../gate/recorder.ts';

/** Resources whose keys are not called like them. */
const PREFIXES: { readonly [resource: string]: string } = {
  replicationcontrollers: 'controllers',
  endpoints: 'services/endpoints',
  services: 'services/specs',
  nodes: 'minions',
  'ingresses.networking.k8s.io': 'ingress',
};

/** Groups of Kubernetes itself whose keys hold the group all the same: they come from servers of their own. */
const AGGREGATED = ['apiextensions.k8s.io', 'apiregistration.k8s.io'];

/** `/registry/pods/default/a`, `/registry/example.com/widgets/default/a`. `builtIn`: it comes from no CRD. */
export function storageKey(kind: ResourceKind, builtIn: boolean, { metadata }: KubeObject): string {
  const { group, resource } = kind;
  const prefix =
    builtIn && !AGGREGATED.includes(group) ? (PREFIXES[groupResource(kind)] ?? resource) : `${group}/${resource}`;
  const { namespace = '', name = '' } = metadata;
  return ['/registry', prefix, ...(namespace === '' ? [] : [namespace]), name].join('/');
}

/** The names of pods that are lives of a target begin like this (`kind/pods.ts`). */
export const TARGET_POD = 'stalemate-target-';
/** The node of one of our kind clusters (`kind/kind-cluster.ts` names them), and that of kwok (`node.ts`). */
const NODE = String.raw`stalemate-(?:[a-z0-9-]+-control-plane|kwok)`;
/** What kubelet reports of a node and of what it runs for itself, and who leads, where there is one. */
const KUBELETS = [
  String.raw`(?:leases/kube-node-lease|leases\.coordination\.k8s\.io/kube-node-lease)/${NODE}$`,
  String.raw`(?:minions|nodes|csinodes|csinodes\.storage\.k8s\.io)/${NODE}$`,
  String.raw`pods/kube-system/[a-z-]+-${NODE}$`,
  String.raw`events/(?:default|kube-system)/(?:[a-z-]+-)?${NODE}\.`,
  String.raw`(?:leases|leases\.coordination\.k8s\.io)/kube-system/kube-(?:controller-manager|scheduler)$`,
];

/** Lives of a target, what they mount, and what kubelet says of them. */
const TARGETS = String.raw`(?:pods|secrets|events)/[a-z0-9-]+/${TARGET_POD}[^/]+$`;
const TARGETS_KEY = new RegExp(`^/registry/${TARGETS}`);

/** What the server writes for itself whenever it likes, as keys. */
const OWN_KEYS = [
  TARGETS_KEY,
  ...KUBELETS.map((pattern) => new RegExp(`^/registry/${pattern}`)),
  /^\/registry\/leases\/kube-system\/apiserver-/,
  /^\/registry\/(?:masterleases|peerserverleases|apiregistration\.k8s\.io)\//,
  /^\/registry\/configmaps\/kube-system\/(?:extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking)$/,
];
/** The same as objects. */
const OWN_OBJECTS = [
  new RegExp(`^${TARGETS}`),
  ...KUBELETS.map((pattern) => new RegExp(`^${pattern}`)),
  /^leases\.coordination\.k8s\.io\/kube-system\/apiserver-/,
  /^apiservices\.apiregistration\.k8s\.io\//,
  /^configmaps\/kube-system\/(?:extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking)$/,
];

/** Whether a key belongs to the server alone. */
export function isServersKey(key: string): boolean {
  return OWN_KEYS.some((pattern) => pattern.test(key));
}

/** Whether a key is that of a life of a target, or of what belongs to one. */
export function isTargetsKey(key: string): boolean {
  return TARGETS_KEY.test(key);
}

/** Whether an object belongs to the server alone. */
export function isServersObject(change: Pick<ObservedChange, 'resource' | 'namespace' | 'name'>): boolean {
  const key = objectKey(change.resource, change.namespace, change.name);
  return OWN_OBJECTS.some((pattern) => pattern.test(key));
}
