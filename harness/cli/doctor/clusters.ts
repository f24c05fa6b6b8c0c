/** Checks what real clusters need, and whether kubectl and toxiproxy are installed. Starts and creates nothing. */
import { spawnSync } from 'node:child_process';
import { missingToxiproxyText } from 'stalemate-apiserver/control-plane/binaries';
import { findControlPlane, findKubectl, findToxiproxy } from '../../clusters/control-plane.ts';
import { findEngine, nodeImage } from '../../clusters/kind/engine.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { KindOptions } from '../../model/kind-options.ts';
import { lacking, ok, probed, type Check } from './check.ts';

/**
 * @param cluster - The cluster that must work.
 * @param kind - The options of the kind cluster.
 */
export async function clusterChecks(cluster: ClusterKind, kind: KindOptions): Promise<readonly Check[]> {
  return [
    await probed('kind', cluster === 'kind', async () => {
      const engine = await findEngine();
      return `kind with ${engine}, and the image ${await nodeImage(engine, kind)}`;
    }),
    await probed('envtest', cluster === 'envtest', () => {
      const { etcd, apiserver } = findControlPlane();
      return `${etcd} and ${apiserver}`;
    }),
    kubectl(),
    toxiproxy(),
  ];
}

function kubectl(): Check {
  const path = findKubectl();
  if (path === undefined)
    return lacking(
      'kubectl',
      'none on PATH',
      'install it (https://kubernetes.io/docs/tasks/tools/): kustomizations are rendered by it',
      false,
    );
  // A binary that cannot be executed counts as missing.
  const { stdout, error } = spawnSync(path, ['version', '--client'], { encoding: 'utf8' });
  const version = /v\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0];
  return error === undefined && version !== undefined
    ? ok('kubectl', `${path} ${version}`)
    : lacking(
        'kubectl',
        `${path} reports no version${error === undefined ? '' : `: ${error.message}`}`,
        `replace ${path}`,
        false,
      );
}

function toxiproxy(): Check {
  const path = findToxiproxy();
  if (path !== undefined) return ok('toxiproxy', path);
  const [found = '', ...fix] = missingToxiproxyText().split('; ');
  return lacking('toxiproxy', found, fix.join('; '), false);
}
