/**
 * A server that is somebody else's, for the runs of one campaign: definitions that are missing, namespaces of its own, nothing else.
 *
 * Owns: the order in which that comes to be, and what is said of definitions that are there and differ. Does not own: whether the server
 * may be used (`guard.ts`), taking everything away again (`clean-up.ts`). Start at {@link openExisting}.
 */
import type { ApiServer } from '../../apiserver/server.ts';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { HarnessError } from '../../model/errors.ts';
import type { JsonValue, KubeObject } from '../../model/object.ts';
import { call } from '../../wire/call.ts';
import type { ApiResponse, Method, Upstream } from '../../wire/http.ts';
import { differenceOf } from './definition-difference.ts';
import { OWNER_LABEL, type Footprint } from './footprint.ts';
import { MANAGED, SIGN_OF_MANAGER } from './managed.ts';
import { RealCluster, type RealClusterParts } from '../real/real-cluster.ts';
import { RequestReset } from '../real/request-reset.ts';
import { Territory } from '../real/territory.ts';
import { creationPathOf, placesOf } from '../real/definitions.ts';

export interface ExistingOptions extends Pick<RealClusterParts, 'witness' | 'kinds'> {
  readonly remote: RemoteOptions;
  readonly kinds: ApiServer;
  readonly crds: readonly KubeObject[];
  /** Made for the run, and taken away with it. */
  readonly namespaces: readonly string[];
  /** Made by actors of the run. */
  readonly laterNamespaces: readonly string[];
  readonly objects: readonly KubeObject[];
  /** Where everything is noted that has to be taken away. */
  readonly footprint: Footprint;
}

export interface Existing {
  readonly cluster: RealCluster;
  readonly territory: Territory;
  /** Whether kube-controller-manager runs there: it collects garbage, ends namespaces and looks after workloads. */
  readonly isManaged: boolean;
  /** What its owner should know. */
  readonly warnings: readonly string[];
}

const READY_MS = 30_000;
const POLL_MS = 50;
const CRD = 'customresourcedefinitions.apiextensions.k8s.io';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** @throws {CLUSTER_UNAVAILABLE} when it cannot be reached, or does not let itself be used. */
export async function openExisting(options: ExistingOptions): Promise<Existing> {
  const remote = new RemoteServer(options.remote);
  const upstream = remoteUpstream(remote);
  const server = new Asked(upstream);
  const { namespaces, laterNamespaces, crds, footprint } = options;
  const territory = new Territory({
    namespaces: [...namespaces, ...laterNamespaces],
    groups: new Set(crds.map(groupOf)),
    intends: (path, name) => footprint.note({ intent: path, name }),
    made: (resource, { apiVersion, kind, metadata: { name = '', uid = '' } }) =>
      footprint.note({ object: { apiVersion, kind, resource, name, uid } }),
  });
  const isManaged = await server.has(SIGN_OF_MANAGER);
  const warnings: string[] = [];
  for (const crd of crds) {
    const there = await server.ask('GET', `${CRDS}/${crd.metadata.name ?? ''}`);
    if (there.code === 200) {
      warnings.push(...differenceOf(crd, there.body as unknown as KubeObject));
      continue;
    }
    footprint.note({ intent: CRDS, name: crd.metadata.name ?? '' });
    const made = await server.make(CRDS, labelled(crd, footprint.run), `the definition "${crd.metadata.name ?? ''}"`);
    territory.take(CRD, made);
  }
  // Not every server keeps APIServices.
  const places = crds.flatMap(placesOf).filter((path) => !path.startsWith('/apis/apiregistration.k8s.io/'));
  await Promise.all(places.map((path) => server.served(path)));
  await Promise.all(
    namespaces.map(async (name) => {
      footprint.note({ namespace: name });
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await server.make('/api/v1/namespaces', labelled(body, footprint.run), `the namespace "${name}"`);
      if (isManaged) await Promise.all(MANAGED.map((path) => server.served(`/api/v1/namespaces/${name}/${path}`)));
    }),
  );
  for (const name of laterNamespaces) footprint.note({ namespace: name, later: true });
  const [first = 'default'] = namespaces;
  await Promise.all(crds.flatMap((crd) => creationPathOf(crd, first) ?? []).map((path) => server.takesWrites(path)));
  const cluster = new RealCluster({
    remote,
    kinds: options.kinds,
    witness: options.witness,
    territory,
    reset: (view) => new RequestReset(view),
  });
  await cluster.begin(options.objects);
  return { cluster, territory, isManaged, warnings };
}

function groupOf({ spec }: KubeObject): string {
  return (spec as { readonly group?: string } | undefined)?.group ?? '';
}

function labelled(object: KubeObject, run: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [OWNER_LABEL]: run } } };
}

/** The server, as it is asked before runs begin. */
class Asked {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  ask(
    method: Method,
    path: string,
    body?: JsonValue,
    query: { readonly [key: string]: string } = {},
  ): Promise<ApiResponse> {
    const headers = { 'content-type': 'application/json', 'user-agent': 'stalemate' };
    return call(this.#upstream, { method, path, query, headers, ...(body === undefined ? {} : { body }) });
  }

  async has(path: string): Promise<boolean> {
    return (await this.ask('GET', path)).code === 200;
  }

  async make(path: string, object: KubeObject, what: string): Promise<KubeObject> {
    const { code, body } = await this.ask('POST', path, object);
    if (code < 300) return body as unknown as KubeObject;
    const { message = JSON.stringify(body) } = body as { readonly message?: string };
    throw new HarnessError(
      code === 403 ? 'CLUSTER_UNAVAILABLE' : 'MANIFEST_INVALID',
      `the API server answered ${code} to ${what}: ${message}; ${code === 403 ? 'expected credentials that may create it' : 'correct it'}`,
    );
  }

  async served(path: string): Promise<void> {
    const untilMs = realNow() + READY_MS;
    for (;;) {
      const { code } = await this.ask('GET', path);
      if (code === 200) return;
      if (realNow() > untilMs)
        throw new HarnessError(
          'CLUSTER_UNAVAILABLE',
          `the API server answered ${code} to GET ${path} for ${READY_MS / 1000} s, expected 200`,
        );
      await realDelay(POLL_MS);
    }
  }

  /** The first creates of a new kind wait at a server, in case there are others that have not heard of it. */
  async takesWrites(path: string): Promise<void> {
    await this.ask('POST', path, {}, { dryRun: 'All' });
  }
}
