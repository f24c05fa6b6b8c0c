/**
 * Prepares a kind cluster for the runs of one worker: in its initial state, with everything that runs need.
 *
 * Its etcd is reset like envtest's, by keys and values, including uids. A worker first removes the leftovers of earlier workers, of this
 * run or, in a kept cluster, of an earlier run. For that, a dump of the initial state is stored beside the kubeconfig. Does not own: the
 * cluster's lifetime (`kind-cluster.ts`). Start at {@link openKind}.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { call, ConnectionFailure } from 'stalemate-apiserver/wire/call';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { HarnessError } from '../../model/errors.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { writeWhole } from '../../report/write-files.ts';
import { readKubeconfig } from '../existing/kubeconfig-file.ts';
import { firstWrites, install, OWN, wayOfTarget, type EnvtestOptions } from '../real/envtest.ts';
import { EtcdReset } from '../real/etcd-reset.ts';
import { Etcd } from '../real/etcd.ts';
import { RealCluster } from '../real/real-cluster.ts';
import { isServersKey, isTargetsKey } from '../real/storage-key.ts';

/** The time limit for readiness: kubeadm finishes before the API server is ready for everything. */
const READY_MS = 60_000;
const POLL_MS = 50;
/** Paths that all answer once the server is ready and has created its last initial object. */
const READY = ['/readyz', ...OWN];
const NEW_FILE = 'new.json';

/** @throws {CLUSTER_UNAVAILABLE} if it does not answer. */
export async function openKind(access: KindAccess, options: EnvtestOptions): Promise<RealCluster> {
  try {
    return await open(access, options);
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) throw error;
    throw new HarnessError('CLUSTER_UNAVAILABLE', `the kind cluster "${access.name}" failed: ${error.message}`, {
      cause: error,
    });
  }
}

async function open(access: KindAccess, options: EnvtestOptions): Promise<RealCluster> {
  const { kubeconfig, context, etcd: at } = access;
  const { remote: to } = readKubeconfig(kubeconfig, context);
  const remote = new RemoteServer(to);
  const etcd = new Etcd(at.url, at);
  await ready(remote, access);
  await asNew(etcd, join(dirname(kubeconfig), NEW_FILE));
  const token = await install(remote, options);
  const { kinds, witness, objects } = options;
  const way = await wayOfTarget(to, token, options);
  const cluster = new RealCluster({ remote, ...way, reset: (view) => new EtcdReset(etcd, view), kinds, witness });
  await Promise.all([cluster.begin(objects), firstWrites(remote, options)]);
  return cluster;
}

async function ready(remote: RemoteServer, { name }: KindAccess): Promise<void> {
  const upstream = remoteUpstream(remote);
  const untilMs = realNow() + READY_MS;
  try {
    for (const path of READY) {
      for (let code: number | string = 0; code !== 200; code = await answerOf(upstream, path)) {
        if (realNow() > untilMs)
          throw new HarnessError(
            'CLUSTER_UNAVAILABLE',
            `the kind cluster "${name}" answered ${code} to GET ${path} for ${READY_MS / 1000} s, expected 200`,
          );
        await realDelay(POLL_MS);
      }
    }
  } finally {
    upstream.close();
  }
}

async function answerOf(upstream: Upstream, path: string): Promise<number | string> {
  try {
    return (await call(upstream, { method: 'GET', path, query: {}, headers: {} })).code;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Records the content of a new cluster; restores this content in a cluster that is not new. */
async function asNew(etcd: Etcd, file: string): Promise<void> {
  const stored = await etcd.all();
  if (!existsSync(file)) {
    const values = Object.fromEntries([...stored].map(([key, { value }]) => [key, value]));
    writeWhole(file, JSON.stringify({ version: 1, values }), 0o600);
    return;
  }
  const { values } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly values: { readonly [key: string]: string };
  };
  // Includes the keys of targets: a worker that was killed may not have removed its target.
  const keys = [...stored.keys()].filter((key) => !isServersKey(key) || isTargetsKey(key));
  const put = Object.entries(values).filter(([key, value]) => !isServersKey(key) && stored.get(key)?.value !== value);
  await etcd.write({ put: new Map(put), remove: keys.filter((key) => values[key] === undefined) });
}
