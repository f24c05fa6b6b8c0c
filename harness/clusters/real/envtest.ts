/**
 * A control plane for the runs of one campaign: etcd and kube-apiserver of its own, with what every run needs in it.
 *
 * Owns: the order in which it comes to be. Does not own: the programs (`control-plane/`), what runs do with it (`real-cluster.ts`). Its data
 * is thrown away. Start at {@link startEnvtest}.
 */
import type { ApiServer } from '../../apiserver/server.ts';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { RemoteServer } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { HarnessError } from '../../model/errors.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { call } from '../../wire/call.ts';
import type { ApiResponse, Method, Upstream } from '../../wire/http.ts';
import { startControlPlane, type ControlPlane } from '../control-plane/control-plane.ts';
import { creationPathOf, placesOf } from './definitions.ts';
import { EtcdReset } from './etcd-reset.ts';
import { Etcd } from './etcd.ts';
import { RealCluster, type DisturbedWay, type RealClusterParts } from './real-cluster.ts';

export interface EnvtestOptions extends Pick<RealClusterParts, 'witness'> {
  /** Holds the definitions, and what is to be there from the beginning. */
  readonly kinds: ApiServer;
  readonly crds: readonly KubeObject[];
  readonly namespaces: readonly string[];
  /** Stored as they are. */
  readonly objects: readonly KubeObject[];
  /** Stands between the target and the server at that address, `127.0.0.1:port`. */
  readonly between?: (address: string) => Promise<WayBetween>;
}

export interface WayBetween extends Pick<DisturbedWay, 'isOn'> {
  /** What to connect to instead. */
  readonly address: string;
  remove(): Promise<void>;
}

export interface Envtest {
  readonly cluster: RealCluster;
  readonly plane: ControlPlane;
  stop(): Promise<void>;
}

/** How long a server may take to serve a definition, and to make what it makes when it starts. */
const READY_MS = 30_000;
const POLL_MS = 20;
/** What a server makes when it starts, the last things included. */
export const OWN: readonly string[] = [
  '/api/v1/namespaces/kube-node-lease',
  '/api/v1/namespaces/default/services/kubernetes',
];

/** @throws {CLUSTER_UNAVAILABLE} when there are no binaries, or they do not start. */
export async function startEnvtest(options: EnvtestOptions): Promise<Envtest> {
  const plane = await startControlPlane();
  try {
    const access = { ca: plane.ca, authorization: () => `Bearer ${plane.token}` };
    const remote = new RemoteServer({ ...access, url: plane.url });
    await install(remote, options);
    const { kinds, witness, objects } = options;
    const etcd = new Etcd(plane.etcdUrl);
    const between = await options.between?.(new URL(plane.url).host);
    const cluster = new RealCluster({
      remote,
      ...(between === undefined
        ? {}
        : {
            disturbed: {
              remote: new RemoteServer({ ...access, url: `https://${between.address}` }),
              isOn: between.isOn,
            },
          }),
      reset: (view) => new EtcdReset(etcd, view),
      kinds,
      witness,
    });
    await Promise.all([cluster.begin(objects), takesWrites(remote, options)]);
    const stop = async (): Promise<void> => {
      cluster.close();
      await between?.remove();
      await plane.stop();
    };
    return { cluster, plane, stop };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** What runs need in a server of our own. @internal */
export async function install(remote: RemoteServer, { crds, namespaces }: EnvtestOptions): Promise<void> {
  const upstream = remoteUpstream(remote);
  try {
    await Promise.all(OWN.map((path) => served(upstream, path)));
    for (const crd of crds) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      expectMade(await ask(upstream, 'POST', path, crd), `the definition "${crd.metadata.name ?? ''}"`);
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
  } finally {
    upstream.close();
  }
}

/** The first creates of a new kind wait two seconds at a server, in case there are others that have not heard of it. */
export async function takesWrites(remote: RemoteServer, { crds }: EnvtestOptions): Promise<void> {
  const upstream = remoteUpstream(remote);
  const request = {
    method: 'POST',
    query: { dryRun: 'All' },
    headers: { 'content-type': 'application/json' },
  } as const;
  const paths = crds.flatMap((crd) => creationPathOf(crd, 'default') ?? []);
  // Whatever it says to nothing in particular, it has waited before that.
  await Promise.all(paths.map((path) => call(upstream, { ...request, path, body: {} })));
  upstream.close();
}

async function served(upstream: Upstream, path: string): Promise<void> {
  const untilMs = realNow() + READY_MS;
  for (;;) {
    const { code } = await ask(upstream, 'GET', path);
    if (code === 200) return;
    if (realNow() > untilMs)
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `kube-apiserver answered ${code} to GET ${path} for ${READY_MS / 1000} s, expected 200`,
      );
    await realDelay(POLL_MS);
  }
}

function expectMade({ code, body }: ApiResponse, what: string): void {
  if (code < 300) return;
  throw new HarnessError(
    'MANIFEST_INVALID',
    `kube-apiserver answered ${code} to ${what}: ${messageOf(body)}; correct it`,
  );
}

function messageOf(body: ApiResponse['body']): string {
  const { message } = body as { readonly message?: string };
  return message ?? JSON.stringify(body);
}

function ask(upstream: Upstream, method: Method, path: string, body?: JsonObject): Promise<ApiResponse> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'stalemate' };
  return call(upstream, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
}
