/**
 * A control plane for the runs of one campaign: its own etcd and kube-apiserver, with everything that runs need.
 *
 * Owns: the startup order. Does not own: the programs (`control-plane/`), how runs use it (`real-cluster.ts`). Its data is discarded at the
 * end. Start at {@link startEnvtest}.
 */
import type { ApiServer } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ControlPlane } from 'stalemate-apiserver/control-plane/control-plane';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import type { ClusterPart } from '../../model/cluster.ts';
import { startControlPlane } from '../control-plane.ts';
import { creationPathOf, placesOf } from './definitions.ts';
import { EtcdReset } from './etcd-reset.ts';
import { Etcd } from './etcd.ts';
import { makeNode } from './node.ts';
import { RealCluster, type RealClusterParts } from './real-cluster.ts';
import { ask, expectMade, make, served, takesWrites } from './own-requests.ts';
import { asAccount, ship, type Shipped } from './shipped.ts';

export interface EnvtestOptions extends Pick<RealClusterParts, 'witness'> {
  /** An embedded server that holds the CRDs and the initial objects. */
  readonly kinds: ApiServer;
  readonly crds: readonly KubeObject[];
  readonly namespaces: readonly string[];
  /** Objects that are stored unchanged. */
  readonly objects: readonly KubeObject[];
  /** The project's manifests apart from CRDs. */
  readonly shipped?: Shipped;
  /** Components that run beside the server. */
  readonly parts?: readonly ClusterPart[];
  /** Reports whether the server is waiting for an answer from the target. */
  readonly isAsking?: () => boolean;
  /** Opens a relay between the target and the server at that address, `127.0.0.1:port`. */
  readonly between?: (address: string) => Promise<WayBetween>;
}

export interface WayBetween {
  /** The address that the target connects to instead of the server's. */
  readonly address: string;
  /** Reports whether the relay is disturbed right now. */
  readonly isOn: () => boolean;
  remove(): Promise<void>;
}

export interface Envtest {
  readonly cluster: RealCluster;
  readonly plane: ControlPlane;
  stop(): Promise<void>;
}

/** If nothing changes for this long, in ms, the control plane's other components count as done with their reaction to a reset. */
const QUIET_MS = 250;
/** The paths of objects that a server creates at startup, among them those that it creates last. */
export const OWN: readonly string[] = [
  '/api/v1/namespaces/kube-node-lease',
  '/api/v1/namespaces/default/services/kubernetes',
];

/** @throws {CLUSTER_UNAVAILABLE} if the binaries are missing or do not start. */
export async function startEnvtest(options: EnvtestOptions): Promise<Envtest> {
  const { kinds, witness, objects, shipped, parts = [] } = options;
  const plane = await startControlPlane({
    ...(shipped === undefined ? {} : { authorization: 'RBAC' }),
    controllerManager: parts.includes('kube-controller-manager'),
    kwok: parts.includes('kwok'),
  });
  try {
    const to = { url: plane.url, ca: plane.ca, authorization: () => `Bearer ${plane.token}` };
    const remote = new RemoteServer(to);
    const token = await install(remote, options);
    const etcd = new Etcd(plane.etcdUrl);
    const { remove, ...way } = await wayOfTarget(to, token, options);
    const cluster = new RealCluster({
      remote,
      ...way,
      reset: (view) => new EtcdReset(etcd, view, parts.length > 0 ? QUIET_MS : 0),
      kinds,
      witness,
    });
    await Promise.all([cluster.begin(objects), firstWrites(remote, options)]);
    const stop = async (): Promise<void> => {
      cluster.close();
      await remove();
      await plane.stop();
    };
    return { cluster, plane, stop };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/**
 * Opens the route of the target's connections: as its service account, if it has one, and through a relay that can be disturbed, if
 * requested.
 *
 * @internal
 */
export async function wayOfTarget(
  to: RemoteOptions,
  token: string | undefined,
  { between, isAsking = () => false }: EnvtestOptions,
): Promise<Required<Pick<RealClusterParts, 'front' | 'isLoose'>> & Pick<WayBetween, 'remove'>> {
  const url = new URL(to.url);
  const way = await between?.(url.host);
  if (way !== undefined) url.host = way.address;
  return {
    front: new RemoteServer({ ...(asAccount(to, token) ?? to), url: url.origin }),
    isLoose: () => isAsking() || way?.isOn() === true,
    remove: async () => way?.remove(),
  };
}

/**
 * Installs what runs need in a server of our own; resolves with the token of the target's service account, if it has one.
 *
 * @internal
 */
export async function install(
  remote: RemoteServer,
  { crds, namespaces, shipped, parts = [] }: EnvtestOptions,
): Promise<string | undefined> {
  const upstream = remoteUpstream(remote);
  try {
    await Promise.all(OWN.map((path) => served(upstream, path)));
    for (const crd of crds) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await make(upstream, path, crd, `the definition "${crd.metadata.name ?? ''}"`);
    }
    await Promise.all(crds.flatMap(placesOf).map((path) => served(upstream, path)));
    for (const name of namespaces) {
      const made = await ask(upstream, 'POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
      if (made.code !== 409) expectMade(made, `the namespace "${name}"`);
    }
    if (parts.includes('kwok')) await makeNode(upstream);
    return shipped === undefined ? undefined : await ship(upstream, shipped);
  } finally {
    upstream.close();
  }
}

/**
 * Waits until the first creates of each kind are accepted.
 *
 * @internal
 */
export async function firstWrites(remote: RemoteServer, { crds }: EnvtestOptions): Promise<void> {
  const upstream = remoteUpstream(remote);
  await takesWrites(
    upstream,
    crds.flatMap((crd) => creationPathOf(crd, 'default') ?? []),
  );
  upstream.close();
}
