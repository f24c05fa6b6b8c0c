/**
 * Creates a kind cluster before a campaign or a replay and deletes it afterwards; keeps its logs if it becomes unavailable.
 *
 * Workers find the cluster by its address. Start at {@link withKind}.
 */
import { given } from '../../model/given.ts';
import { makeKindCluster } from '../../clusters/kind/kind-cluster.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess, KindOptions } from '../../model/kind-options.ts';

export interface KindLife {
  readonly cluster: ClusterKind;
  readonly kind?: KindOptions | undefined;
  /** Images to load into the cluster, starting with the target's own; none if the target does not run in the cluster. */
  readonly images?: readonly string[];
  /** Absolute path of the folder under which logs are written. */
  readonly reportDir: string;
  readonly signal?: AbortSignal | undefined;
  readonly say?: ((line: string) => void) | undefined;
}

/**
 * Runs `work` with a kind cluster; without one if neither the API server nor the target is in a kind cluster.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the cluster cannot be created.
 */
export async function withKind<T>(
  { cluster, kind = {}, images = [], reportDir, signal, say }: KindLife,
  work: (access: KindAccess | undefined) => Promise<T>,
): Promise<T> {
  if (cluster !== 'kind' && images.length === 0) return work(undefined);
  const made = await makeKindCluster({
    ...kind,
    images,
    logFolder: reportDir,
    ...given({ signal, say }),
  });
  const { access, isReused, createMs } = made;
  say?.(`the kind cluster "${access.name}" ${isReused ? 'was kept' : `took ${(createMs / 1000).toFixed(0)} s`}`);
  try {
    return await work(access);
  } catch (error) {
    if (!(error instanceof HarnessError) || error.code !== 'CLUSTER_UNAVAILABLE') throw error;
    const logs = await made.exportLogs();
    throw new HarnessError(error.code, `${error.message}; what the cluster logged is in "${logs}"`, { cause: error });
  } finally {
    await made.close();
    if (kind.keep === true)
      say?.(
        `the kind cluster "${access.name}" is left running; delete it with "kind delete cluster --name ${access.name}"`,
      );
  }
}
