/**
 * What a process target stands on: what answers the API, and how a life of the target reaches it.
 *
 * Owns: the choice. The embedded server lives in this process and needs nobody to wait for it; a real one answers when it likes. Does not
 * own: the gate in between, the processes (`process-host.ts`). Start at {@link openGround}.
 */
import type { ServeLife } from '../actors/process/process-incarnation.ts';
import { serveHttp } from '../apiserver/http/serve.ts';
import type { CallOutFunction } from '../apiserver/server.ts';
import { realDate } from '../determinism/real-time.ts';
import type { Disturbance } from '../clusters/connections/disturbance.ts';
import { openAccess } from '../clusters/existing/access.ts';
import { Footprint } from '../clusters/existing/footprint.ts';
import { openExisting } from '../clusters/existing/open-existing.ts';
import { openKind } from '../clusters/kind/open-kind.ts';
import type { EnvtestOptions } from '../clusters/real/envtest.ts';
import type { RealCluster, Witness } from '../clusters/real/real-cluster.ts';
import { openEnvtest, type RenewableCluster } from '../clusters/real/renewable.ts';
import { openFront, type FrontOptions } from '../gate/http/front.ts';
import type { RemoteServer } from '../gate/http/remote.ts';
import { assertNever, invariant } from '../model/errors.ts';
import type { KindAccess } from '../model/kind-options.ts';
import { OUTSIDE_CRD } from '../model/outside.ts';
import { beforeServer } from './disturbed-links.ts';
import { assembleServer, bystander, namespacesOf } from './host.ts';
import { Places } from './places.ts';
import { namespacesThere } from './existing-namespaces.ts';
import type { Subject } from './protocol.ts';
import type { Host, World } from './world.ts';

export interface Ground extends Pick<
  Host,
  'cluster' | 'identity' | 'environment' | 'reads' | 'reseed' | 'places' | 'isAlone' | 'warnings'
> {
  /** Opens what a life of the target talks to. */
  readonly serve: ServeLife;
  /** Whether the cluster has been asked for something that it has not done yet. */
  readonly isBusy: () => boolean;
}

/** What the ground knows of the run that stands on it. */
export type Standing = () => World | undefined;

/** @throws {CLUSTER_UNAVAILABLE} when there is no such cluster to be had. */
export async function openGround(
  subject: Subject,
  standing: Standing,
  callOut: CallOutFunction,
  disturbance?: Disturbance,
): Promise<Ground> {
  switch (subject.cluster) {
    case 'embedded':
      return embedded(subject, standing, callOut);
    case 'envtest':
      return own(subject, standing, async (options) =>
        openEnvtest(
          disturbance === undefined
            ? options
            : { ...options, between: beforeServer(subject.toxiproxy ?? '', disturbance) },
        ),
      );
    case 'kind':
      return own(subject, standing, async (options) => openKind(accessOf(subject), options));
    case 'existing':
      return existing(subject, standing);
    default:
      return assertNever(subject.cluster);
  }
}

function embedded(subject: Subject, standing: Standing, callOut: CallOutFunction): Ground {
  const base = assembleServer(subject, () => realDate().getTime(), callOut);
  const { cluster } = base;
  cluster.observe((change) => standing()?.committed(change));
  return {
    ...base,
    serve: (upstream, { socket, identity, clientCa, token, user }) =>
      serveHttp(
        {
          routeOf: (path) => cluster.routeOf(path),
          refusalOf: (route, method) => cluster.refusalOf(route, method),
          send: (request, sink) => upstream.send(request, sink),
        },
        {
          ...(socket === undefined ? {} : { socket }),
          tls: { identity, clientCa },
          authentication: { tokens: new Map([[token, user]]) },
        },
      ),
    isBusy: () => false,
  };
}

/** The gate is then a proxy, through which bytes pass as they are; what looks after objects is the same as on the embedded server. */
async function own(
  subject: Subject,
  standing: Standing,
  open: (options: EnvtestOptions) => Promise<RenewableCluster | RealCluster>,
): Promise<Ground> {
  const { cluster: kinds, ...base } = assembleServer(subject, () => realDate().getTime());
  const cluster = await open({
    kinds,
    crds: [...subject.crds, ...(subject.settings.effects === true ? [OUTSIDE_CRD] : [])],
    namespaces: [subject.namespace, ...namespacesOf(subject.samples)],
    objects: [bystander(subject.namespace)],
    witness: () => witnessOf(standing()),
  });
  return { ...base, cluster, serve: proxying(() => cluster.remote), isBusy: () => cluster.isBusy };
}

/** The same for a server that is somebody else's: in namespaces of its own, which schedules and findings know nothing of. */
async function existing(subject: Subject, standing: Standing): Promise<Ground> {
  const { existing: access = null, settings } = subject;
  invariant(access !== null, 'the cluster of somebody else was named before it is used');
  const now = (): number => realDate().getTime();
  const { names, made } = namespacesThere(subject, access);
  const places = new Places(names);
  const { cluster: kinds } = assembleServer(subject, now);
  const { cluster, territory, isManaged, warnings } = await openExisting({
    remote: openAccess(access).remote,
    kinds,
    crds: subject.crds,
    namespaces: made.map((name) => places.there(name)),
    laterNamespaces: [...names.keys()].filter((name) => !made.includes(name)).map((name) => places.there(name)),
    objects: [places.object(bystander(subject.namespace))],
    footprint: new Footprint(access.run),
    witness: () => witnessOf(standing()),
  });
  // What kube-controller-manager does there is not done twice.
  const tended = { ...settings, garbageCollection: false, namespaceController: false, workloads: 'off' as const };
  const base = assembleServer({ ...subject, settings: isManaged ? tended : settings }, now);
  const isShared = names.size > 1 || hasClusterScoped(subject);
  return {
    ...base,
    cluster,
    places,
    isAlone: () => isShared || territory.reachesOut,
    warnings: () => [
      ...warnings,
      ...[...territory.refusals].map((refusal) => `on a cluster that is not ours: ${places.back(refusal)}`),
    ],
    serve: proxying(
      () => cluster.remote,
      (head) => territory.leads({ method: 'CONNECT', path: head.target.replace(/\?.*$/s, '') }),
    ),
    isBusy: () => cluster.isBusy,
  };
}

function accessOf({ kindAccess }: Subject): KindAccess {
  invariant(kindAccess !== undefined, 'a kind cluster is made before a run wants to stand on it');
  return kindAccess;
}

function hasClusterScoped({ crds, samples }: Subject): boolean {
  return (
    crds.some(({ spec }) => (spec as { readonly scope?: string } | undefined)?.scope === 'Cluster') ||
    samples.some(({ kind }) => kind === 'Namespace')
  );
}

function witnessOf(world: World | undefined): Witness | undefined {
  if (world === undefined) return undefined;
  return { acting: () => world.recorder.resumable(), committed: (change) => world.committed(change) };
}

/** Bytes pass as they are, through the gate. */
function proxying(remote: () => RemoteServer, mayTunnel?: FrontOptions['mayTunnel']): ServeLife {
  return (upstream, { socket, identity, clientCa, token }) =>
    openFront({
      remote: remote(),
      ...(socket === undefined ? {} : { socket }),
      ...(mayTunnel === undefined ? {} : { mayTunnel }),
      tls: { identity, clientCa },
      token,
      route: () => ({ port: upstream }),
    });
}
