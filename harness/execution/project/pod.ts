/**
 * Provides a process with what the target would find in its pod: variables, mounted files, and certificates that are created in a cluster.
 *
 * Start at {@link podFor}.
 */
import { ACCOUNT } from '../../actors/process/access.ts';
import { CertificateAuthority } from 'stalemate-apiserver/http';
import { isMap, mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { ownedBy } from '../../actors/environment/workloads/api.ts';
import { replicaSetOf } from '../../actors/environment/workloads/deployment.ts';
import { node, NODE_NAME } from '../../actors/environment/workloads/kubelet.ts';
import { SERVING_CERTS, type MountedFile, type MountedFolder } from '../../actors/process/mounted-files.ts';
import { UID_TO_COME } from '../../clusters/owner-uids.ts';
import type { ProcessTarget } from '../../model/counterexample.ts';
import type { Subject } from '../subject.ts';
import { certificateEntries, madeSecrets } from './certificates.ts';
import { environmentOf, podName, targetWorkload, type TargetWorkload } from './deployment.ts';
import { mountsOf } from './mounts.ts';
import { asksWebhooks, serviceNames, withAuthority } from './webhooks.ts';

export interface Pod {
  readonly workload: TargetWorkload | undefined;
  readonly env: ProcessTarget['env'];
  /** Files that are never updated. */
  readonly files: readonly MountedFile[];
  /** Returns the folders that the container mounts, with the contents of the given ConfigMaps and Secrets. */
  readonly folders: (objects: readonly KubeObject[]) => readonly MountedFolder[];
  /** ConfigMaps and Secrets in their initial state. */
  readonly sources: readonly KubeObject[];
  /** The CRDs and objects to create on the server. Their webhook configurations contain the CA of the webhooks' certificate. */
  readonly crds: readonly KubeObject[];
  readonly project: Subject['project'];
  /** The CA of the webhooks' certificate; absent if there are no webhooks. */
  readonly authority?: CertificateAuthority;
}

const DEFAULT_FOLDER = `/tmp/${SERVING_CERTS}`;

/** @param copies The number of copies of the target that may run at once, each in a pod of its own. */
export function podFor(
  { crds, project, namespace, cluster }: Pick<Subject, 'crds' | 'project' | 'namespace' | 'cluster'>,
  copies: 1 | 2 = 1,
): Pod {
  const workload = project === null ? undefined : targetWorkload(project, namespace);
  const ownNamespace = namespaceFile(workload?.namespace ?? namespace);
  const authority = new CertificateAuthority();
  const objects = project?.objects ?? [];
  const asking = [...crds, ...objects];
  const names = serviceNames(asking);
  // A manager that serves webhooks does not start without certificates, even if no webhook is configured.
  const byDefault = { path: DEFAULT_FOLDER, entries: certificateEntries(authority, names) };
  const withDefault = (folders: readonly MountedFolder[]): readonly MountedFolder[] =>
    folders.some(({ path }) => DEFAULT_FOLDER.startsWith(`${path}/`) || path === DEFAULT_FOLDER)
      ? folders
      : [byDefault, ...folders];
  if (project === null || workload === undefined)
    return { workload, env: {}, files: [ownNamespace], folders: () => withDefault([]), sources: [], crds, project };
  const made = madeSecrets(workload, objects, authority, names);
  const named = new Set(made.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const given = objects.filter(
    ({ kind, metadata }) =>
      kind !== 'Secret' || !named.has(`${metadata.namespace ?? workload.namespace}/${metadata.name}`),
  );
  const isAsked = asksWebhooks(asking);
  const trusting = (object: KubeObject): KubeObject => withAuthority(object, authority.certificate);
  const all = [...given, ...made];
  return {
    workload,
    env: environmentOf(workload, all).values,
    files: [ownNamespace, ...mountsOf(workload, all).files],
    folders: (sources) => withDefault(mountsOf(workload, sources).folders),
    sources: all.filter(({ kind }) => kind === 'ConfigMap' || kind === 'Secret'),
    crds: crds.map(trusting),
    // On an existing cluster, only objects of the manifests are created.
    project: {
      ...project,
      objects: (cluster === 'existing'
        ? objects
        : [...all, ...ownPods(workload, cluster, copies), ...ownNode(workload, cluster)]
      ).map(trusting),
    },
    ...(isAsked ? { authority } : {}),
  };
}

/**
 * Returns the target's own pods, and the ReplicaSet that owns them: some targets look up the owner, the node or the siblings of their pod, and
 * some conclude from its absence that they run outside the cluster. Returns nothing on clusters where a scheduler would start that pod.
 */
function ownPods(workload: TargetWorkload, cluster: Subject['cluster'], copies: number): readonly KubeObject[] {
  if (cluster === 'kind') return [];
  const { namespace, container } = workload;
  // The server assigns the uid of the owner, even if the manifests have one.
  const metadata = { ...workload.object.metadata, namespace, uid: UID_TO_COME };
  const object: KubeObject = { ...workload.object, metadata };
  const set = object.kind === 'Deployment' ? replicaSetOf(object, 1, copies) : undefined;
  // The pod does not get the label `pod-template-hash` of a ReplicaSet's pods: pods with that label are not compared.
  const { labels, annotations } = mapOf(mapOf(mapOf(object['spec'])['template'])['metadata']);
  const podOf = (copy: number): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(workload, copy),
      namespace,
      ...(isMap(labels) ? { labels: textsByName(labels) } : {}),
      ...(isMap(annotations) ? { annotations: textsByName(annotations) } : {}),
      ownerReferences: [ownedBy(set ?? object)],
    },
    spec: {
      nodeName: NODE_NAME,
      containers: [{ name: textOf(container['name']), image: textOf(container['image']) || 'target' }],
    },
  });
  const pods = Array.from({ length: copies }, (_, copy) => podOf(copy));
  return set === undefined ? pods : [set, ...pods];
}

/** The time of the node's heartbeat at the start of a run; nothing depends on its age. */
const HEARD_AT = '2026-01-01T00:00:00Z';

/** Returns the target's node if the target's environment names it; otherwise, a node is created along with the first pod. */
function ownNode(workload: TargetWorkload, cluster: Subject['cluster']): readonly KubeObject[] {
  return isGiven(workload, 'spec.nodeName') && cluster !== 'kind' ? [node(HEARD_AT)] : [];
}

/** Reports whether a variable of the container refers to a field of its pod. */
function isGiven({ container }: TargetWorkload, field: string): boolean {
  return mapsOf(container['env']).some(({ valueFrom }) => mapOf(mapOf(valueFrom)['fieldRef'])['fieldPath'] === field);
}

function textsByName(map: JsonObject): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, textOf(value)]));
}

/** Returns the file in which leader election looks for the namespace of its lock. */
function namespaceFile(namespace: string): MountedFile {
  return { below: 'pod', path: `${ACCOUNT}/namespace`, content: Buffer.from(namespace) };
}
