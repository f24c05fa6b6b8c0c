/**
 * Prepares an existing server for the runs of one campaign: installs missing CRDs, creates namespaces of its own, the project's manifests
 * and the initial objects, nothing else.
 *
 * Owns: the order of these steps, and warnings about CRDs that exist and differ. Does not own: whether the server may be used (`guard.ts`),
 * removing everything again (`clean-up.ts`). Start at {@link openExisting}.
 */
import type { ApiServer } from 'stalemate-apiserver';
import { groupResource, type KubeObject } from 'stalemate-apiserver/objects/object';
import { requestInfo } from 'stalemate-apiserver/wire/request-info';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { allowsWrite } from './cluster-writes.ts';
import { differenceOf } from './definition-difference.ts';
import { OWNER_LABEL, type Footprint } from './footprint.ts';
import { MANAGED, SIGN_OF_MANAGER } from './managed.ts';
import { ask, make, served, takesWrites } from '../real/own-requests.ts';
import { RealCluster, type RealClusterParts } from '../real/real-cluster.ts';
import { RequestReset } from '../real/request-reset.ts';
import { asAccount, ship, type Creation, type Shipped } from '../real/shipped.ts';
import { Territory } from '../real/territory.ts';
import { creationPathOf, placesOf } from '../real/definitions.ts';

export interface ExistingOptions extends Pick<RealClusterParts, 'witness' | 'kinds'> {
  readonly remote: RemoteOptions;
  readonly kinds: ApiServer;
  readonly crds: readonly KubeObject[];
  /** Namespaces that are created for the run and deleted with it. */
  readonly namespaces: readonly string[];
  /** Namespaces that actors of the run create. */
  readonly laterNamespaces: readonly string[];
  readonly objects: readonly KubeObject[];
  /** Cluster-scoped objects that the run's actors may create besides custom resources of `crds` (`cluster-writes.ts`). */
  readonly allowed?: readonly string[];
  /** The project's other manifests, with the names that they get on the server. */
  readonly shipped?: Shipped;
  /** Records everything that has to be removed. */
  readonly footprint: Footprint;
}

export interface Existing {
  readonly cluster: RealCluster;
  readonly territory: Territory;
  /** True if kube-controller-manager runs there, which collects garbage, deletes namespaces and runs the workload controllers. */
  readonly isManaged: boolean;
  /** Warnings for the user. */
  readonly warnings: readonly string[];
}

const CRD = 'customresourcedefinitions.apiextensions.k8s.io';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** @throws {CLUSTER_UNAVAILABLE} if it cannot be reached or used. */
export async function openExisting(options: ExistingOptions): Promise<Existing> {
  const remote = new RemoteServer(options.remote);
  const upstream = remoteUpstream(remote);
  const { namespaces, laterNamespaces, crds, footprint, allowed = [] } = options;
  const territory = new Territory({
    namespaces: [...namespaces, ...laterNamespaces],
    own: new Set(crds.map(({ metadata }) => metadata.name ?? '')),
    allows: (resource, name) => allowsWrite(allowed, resource, name),
    intends: (path, name) => footprint.note({ intent: path, name }),
    unmade: (path, name) => footprint.note({ unmade: path, name }),
    made: (resource, { apiVersion, kind, metadata: { name = '', uid = '' } }) =>
      footprint.note({ object: { apiVersion, kind, resource, name, uid } }),
  });
  const isManaged = (await ask(upstream, 'GET', SIGN_OF_MANAGER)).code === 200;
  const warnings: string[] = [];
  for (const crd of crds) {
    const there = await ask(upstream, 'GET', `${CRDS}/${crd.metadata.name ?? ''}`);
    if (there.code === 200) {
      warnings.push(...differenceOf(crd, there.body as unknown as KubeObject));
      continue;
    }
    footprint.note({ intent: CRDS, name: crd.metadata.name ?? '' });
    const made = await make(
      upstream,
      CRDS,
      labelled(crd, footprint.run),
      `the definition "${crd.metadata.name ?? ''}"`,
    );
    territory.take(CRD, made);
  }
  // Does not wait for APIServices, which not every server stores.
  const places = crds.flatMap(placesOf).filter((path) => !path.startsWith('/apis/apiregistration.k8s.io/'));
  await Promise.all(places.map((path) => served(upstream, path)));
  await Promise.all(
    namespaces.map(async (name) => {
      footprint.note({ namespace: name });
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await make(upstream, '/api/v1/namespaces', labelled(body, footprint.run), `the namespace "${name}"`);
      if (isManaged) await Promise.all(MANAGED.map((path) => served(upstream, `/api/v1/namespaces/${name}/${path}`)));
    }),
  );
  const token = await shipThere(upstream, options, territory);
  for (const name of laterNamespaces) footprint.note({ namespace: name, later: true });
  const [first = 'default'] = namespaces;
  await takesWrites(
    upstream,
    crds.flatMap((crd) => creationPathOf(crd, first) ?? []),
  );
  const cluster = new RealCluster({
    remote,
    front: new RemoteServer(asAccount(options.remote, token) ?? options.remote),
    kinds: options.kinds,
    witness: options.witness,
    territory,
    reset: (view) => new RequestReset(view),
  });
  await cluster.begin(options.objects);
  return { cluster, territory, isManaged, warnings };
}

/**
 * Creates the project's manifests, cluster-scoped roles first, since namespaced bindings refer to them. Resolves with a token of the
 * target's service account, if it has one.
 */
async function shipThere(
  upstream: Upstream,
  { shipped, footprint }: ExistingOptions,
  territory: Territory,
): Promise<string | undefined> {
  if (shipped === undefined) return undefined;
  const isWide = ({ path }: Creation): boolean => !path.includes('/namespaces');
  for (const { path, object, what } of shipped.creations.filter(isWide)) {
    footprint.note({ intent: path, name: object.metadata.name ?? '' });
    const made = await make(upstream, path, labelled(object, footprint.run), what);
    const info = requestInfo('POST', path, {});
    if (info !== undefined) territory.take(groupResource(info), made);
  }
  const isNamespace = ({ object }: Creation): boolean => object.kind === 'Namespace';
  return ship(upstream, {
    ...shipped,
    creations: shipped.creations.filter((one) => !isWide(one) && !isNamespace(one)),
  });
}

function labelled(object: KubeObject, run: string): KubeObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [OWNER_LABEL]: run } } };
}
