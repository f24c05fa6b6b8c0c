/**
 * Decides whether a cluster may be used: stalemate serves it itself, or the user has allowed it.
 *
 * The command line, the caller's environment, a person at the terminal, or the user's own file (`allowed-clusters.ts`) can allow it; files
 * of a project never can. Clusters are identified by uid (`identity.ts`), not by address. Start at {@link admitCluster}.
 */
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { HarnessError } from '../../model/errors.ts';
import { allowCluster, allowedClusters, type AllowedCluster } from './allowed-clusters.ts';
import { guardCluster } from './guard.ts';
import { identify } from './identity.ts';
import { readKubeconfig, type ClusterAccess } from './kubeconfig-file.ts';
import { isServed } from './served-clusters.ts';

/** The named cluster, and what the user allowed. */
export interface NamedCluster {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
  /** Allowed contexts, by name. */
  readonly allowed: readonly string[];
  /** Allowed clusters, by uid. */
  readonly clusters?: readonly string[];
}

export interface Admission {
  /** The uid of the cluster that was admitted before; only that cluster may be used now. */
  readonly same?: string | undefined;
  /** Asks the user; a positive answer is stored. */
  readonly ask?: ((which: AllowedCluster) => Promise<boolean>) | undefined;
}

export interface Admitted extends ClusterAccess {
  readonly remote: RemoteOptions;
  readonly version: string;
  /** Undefined if the uid is unknown and the context was allowed by name. */
  readonly uid: string | undefined;
}

/**
 * Reads a cluster's address, identifies the cluster, and admits it.
 *
 * @throws {REFUSED} if it is not allowed, is a different cluster from before, or redirects requests.
 * @throws {CONFIG_INVALID} {CLUSTER_UNAVAILABLE} if it cannot be read or reached.
 */
export async function admitCluster(named: NamedCluster, { same, ask }: Admission = {}): Promise<Admitted> {
  const access = readKubeconfig(named.kubeconfig, named.context);
  const { context, remote } = access;
  const { clusters = [] } = named;
  const known = allowedClusters();
  const isByName = [...named.allowed, ...known.contexts].includes(context);
  const isKnownThere = known.clusters.some(({ server }) => server === remote.url);
  guardCluster(access, isByName || isKnownThere || clusters.length > 0 || ask !== undefined);
  const { version, uid, code } = await identify(remote);
  const admitted = { ...access, version, uid };
  const where = `context "${context}" at ${remote.url}`;
  if (same !== undefined && uid !== same)
    throw new HarnessError(
      'REFUSED',
      `${where} points to another cluster than before (uid of its namespace kube-system: ${uid ?? 'unknown'}), expected ${same}; point it there again`,
    );
  if (same !== undefined || isByName) return admitted;
  if (uid === undefined)
    throw new HarnessError(
      'REFUSED',
      `${where} answered ${code} to a request for its namespace kube-system, so stalemate cannot identify the cluster; expected --allow-context ${context} if you mean that cluster`,
    );
  if ([...clusters, ...known.clusters.map((one) => one.uid)].includes(uid) || isServed(uid)) return admitted;
  const which = { uid, context, server: remote.url };
  if (ask !== undefined && (await ask(which))) {
    allowCluster(which);
    return admitted;
  }
  throw new HarnessError(
    'REFUSED',
    `${where} points to a cluster that is not allowed (uid of its namespace kube-system: ${uid}), and an address of this machine may be a tunnel; expected --allow-cluster ${uid} or --allow-context ${context} if you mean that cluster`,
  );
}
