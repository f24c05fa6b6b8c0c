/**
 * The cluster of a run of a process target: its API server, and how an incarnation of the target reaches it.
 *
 * Owns: the choice of the cluster. The embedded server is in this process and answers immediately; a real one takes time. Does not own: the
 * gate in between, the processes (`process-host.ts`). Start at {@link openRunCluster}.
 */
import { serveHttp } from 'stalemate-apiserver/http';
import type { ApiServer, CallOutFunction } from 'stalemate-apiserver';
import { groupResource } from 'stalemate-apiserver/objects/object';
import type { ServeLife } from '../../actors/process/process-settings.ts';
import { realDate } from '../../determinism/real-time.ts';
import type { Disturbance } from '../../clusters/connections/disturbance.ts';
import { admitCluster } from '../../clusters/existing/admission.ts';
import { allowsWrite } from '../../clusters/existing/cluster-writes.ts';
import { Footprint } from '../../clusters/existing/footprint.ts';
import { openExisting } from '../../clusters/existing/open-existing.ts';
import { openKind } from '../../clusters/kind/open-kind.ts';
import type { EnvtestOptions } from '../../clusters/real/envtest.ts';
import type { RealCluster, Witness } from '../../clusters/real/real-cluster.ts';
import { openEnvtest, type RenewableCluster } from '../../clusters/real/renewable.ts';
import type { Shipped } from '../../clusters/real/shipped.ts';
import { openFront, type FrontOptions } from '../../gate/http/front.ts';
import { assertNever, invariant } from '../../model/errors.ts';
import type { ProjectManifests, RunSettings } from '../../model/counterexample.ts';
import type { KindAccess } from '../../model/kind-options.ts';
import { OUTSIDE_CRD } from '../../model/outside.ts';
import { withoutConversionWebhooks } from '../project/manifests.ts';
import { Places } from '../run/places.ts';
import { accountOf } from '../project/account.ts';
import { targetWorkload } from '../project/deployment.ts';
import { elsewhere } from '../project/elsewhere.ts';
import { creationsOf } from '../project/install.ts';
import { withoutSamples } from '../project/sample-wins.ts';
import type { Subject } from '../subject.ts';
import type { Host, RunOnHost } from '../run/host.ts';
import { beforeServer } from './disturbed-links.ts';
import { assembleServer, bystander, type HostServer } from './module-host.ts';
import type { CurrentRun } from './current-run.ts';
import { namespacesOf } from './namespaces-of.ts';
import { namespacesThere } from './existing-namespaces.ts';
import type { WebhookCalls } from './webhook-calls.ts';
import { configInvalid } from '../config-invalid.ts';

export interface RunCluster extends HostServer {
  readonly cluster: Host['cluster'];
  /** Opens the front that an incarnation of the target connects to. */
  readonly serve: ServeLife;
  /** Reports whether the cluster has requests in progress. */
  readonly isBusy: () => boolean;
}

/** The reason for not installing a webhook on an existing cluster, where it would be called for objects of other users. */
const UNASKED_THERE = 'on an existing cluster it is not called';

/** Opens the cluster of a run. @throws {CLUSTER_UNAVAILABLE} if the cluster is not available. */
export async function openRunCluster(
  subject: Subject,
  current: CurrentRun,
  webhooks: Pick<WebhookCalls, 'ask' | 'isAsking'>,
  disturbance: Disturbance,
  /** Returns the server's wall-clock time, in ms since 1970. */
  clock: () => number = () => realDate().getTime(),
): Promise<RunCluster> {
  const { toxiproxy = null } = subject;
  const between = toxiproxy === null ? {} : { between: beforeServer(toxiproxy, disturbance) };
  switch (subject.cluster) {
    case 'embedded':
      return embedded(subject, current, webhooks.ask, clock);
    case 'envtest':
      return own(subject, current, webhooks, async (options) => openEnvtest({ ...options, ...between }));
    case 'kind':
      return own(subject, current, webhooks, async (options) =>
        openKind(accessOf(subject), { ...options, ...between }),
      );
    case 'existing':
      return existing(subject, current);
    default:
      return assertNever(subject.cluster);
  }
}

function embedded(subject: Subject, current: CurrentRun, callOut: CallOutFunction, clock: () => number): RunCluster {
  const base = assembleServer(subject, clock, callOut);
  const { cluster } = base;
  cluster.observe((change) => current.run?.committed(change));
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

/**
 * Opens a real server that the harness started. The gate in front of it is a proxy that passes bytes unchanged; garbage collection and
 * similar controllers work as with the embedded server.
 */
async function own(
  subject: Subject,
  current: CurrentRun,
  webhooks: Pick<WebhookCalls, 'isAsking'>,
  open: (options: EnvtestOptions) => Promise<RenewableCluster | RealCluster>,
): Promise<RunCluster> {
  const { project, ...rest } = subject;
  const { with: parts = [] } = subject.cluster === 'envtest' ? subject.settings : {};
  const settings = parts.includes('kube-controller-manager') ? untended(subject.settings) : subject.settings;
  const { cluster: kinds, ...base } = assembleServer({ ...rest, settings }, () => realDate().getTime());
  const cluster = await open({
    kinds,
    ...(project === null ? {} : { shipped: shippedWith(subject, project, kinds) }),
    crds: [...subject.crds, ...(subject.settings.effects === true ? [OUTSIDE_CRD] : [])],
    namespaces: [subject.namespace, ...namespacesOf(subject.samples)],
    objects: [bystander(subject.namespace)],
    parts,
    isAsking: () => webhooks.isAsking,
    witness: () => witnessOf(current.run),
  });
  return { ...base, cluster, serve: proxying(() => cluster), isBusy: () => cluster.isBusy };
}

/** Opens an existing cluster, in namespaces created for the run; schedules and findings do not contain the names of these namespaces. */
async function existing(subject: Subject, current: CurrentRun): Promise<RunCluster> {
  const { existing: access = null, settings } = subject;
  invariant(access !== null, 'an existing cluster is named before it is used');
  const now = (): number => realDate().getTime();
  const { names, made, called } = namespacesThere(subject, access);
  const places = new Places(names);
  const { project, ...rest } = subject;
  const definitions = withoutConversionWebhooks(subject.crds, undefined, UNASKED_THERE);
  const { cluster: kinds } = assembleServer({ ...rest, crds: definitions.crds }, now);
  checkSamples(subject, access.writes, kinds);
  const there =
    project === null
      ? undefined
      : elsewhere(
          { ...project, objects: withoutSamples(project, subject.samples, subject.namespace) },
          subject.namespace,
          {
            place: (object) => places.object(object),
            there: (namespace) => places.there(namespace),
            called,
            kindFor: (apiVersion, kind) => kinds.kindFor(apiVersion, kind),
            allows: (resource, name) => allowsWrite(access.writes, resource, name),
          },
        );
  const footprint = new Footprint(access.run);
  const { remote } = await admitCluster(access, { same: footprint.read()?.head.uid });
  const { cluster, territory, isManaged, warnings } = await openExisting({
    remote,
    kinds,
    ...(there === undefined ? {} : { shipped: there.shipped }),
    crds: definitions.crds,
    namespaces: made.map((name) => places.there(name)),
    laterNamespaces: [...names.keys()].filter((name) => !made.includes(name)).map((name) => places.there(name)),
    objects: [places.object(bystander(subject.namespace))],
    allowed: access.writes,
    footprint,
    witness: () => witnessOf(current.run),
  });
  const base = assembleServer({ ...rest, settings: isManaged ? untended(settings) : settings }, now);
  const isShared = names.size > 1 || hasClusterScoped(subject);
  return {
    ...base,
    cluster,
    places,
    isAlone: () => isShared || territory.reachesOut,
    warnings: () => [
      ...warnings,
      ...definitions.warnings,
      ...(there?.warnings ?? []),
      ...territory.refusals.map((refusal) => `on an existing cluster: ${places.back(refusal)}`),
    ],
    serve: proxying(
      () => cluster,
      (head) => territory.mayTunnel(head),
    ),
    isBusy: () => cluster.isBusy,
  };
}

/** @throws {CONFIG_INVALID} for samples that would affect other users of an existing cluster. */
function checkSamples({ samples, crds }: Subject, writes: readonly string[], kinds: ApiServer): void {
  const defined = new Set(crds.map(({ metadata }) => metadata.name ?? ''));
  for (const { apiVersion, kind, metadata } of samples) {
    const of = kinds.kindFor(apiVersion, kind);
    if (of === undefined || of.namespaced || kind === 'Namespace' || defined.has(groupResource(of))) continue;
    const { name = '' } = metadata;
    if (allowsWrite(writes, groupResource(of), name)) continue;
    throw configInvalid(
      `the sample has ${kind} "${name}", which on an existing cluster would affect all of its users; expected objects in namespaces and custom resources; leave it out, or add --allow-cluster-write '${groupResource(of)}=${name}'`,
    );
  }
}

/** Returns the settings without the controllers whose work kube-controller-manager does. */
function untended(settings: RunSettings): RunSettings {
  return { ...settings, garbageCollection: false, namespaceController: false, workloads: 'off' };
}

/** Returns the project's objects besides its CRDs, and the target's service account. */
function shippedWith({ samples, namespace }: Subject, project: ProjectManifests, kinds: ApiServer): Shipped {
  const objects = withoutSamples(project, samples, namespace);
  const workload = targetWorkload(project, namespace);
  return {
    creations: creationsOf(objects, namespace, (apiVersion, kind) => kinds.kindFor(apiVersion, kind)),
    ...(workload === undefined ? {} : { account: accountOf(workload) }),
    authorization: project.authorization,
  };
}

function accessOf({ kindAccess }: Subject): KindAccess {
  invariant(kindAccess !== undefined, 'a kind cluster is created before a run uses it');
  return kindAccess;
}

function hasClusterScoped({ crds, samples }: Subject): boolean {
  return (
    crds.some(({ spec }) => (spec as { readonly scope?: string } | undefined)?.scope === 'Cluster') ||
    samples.some(({ kind }) => kind === 'Namespace')
  );
}

function witnessOf(run: RunOnHost | undefined): Witness | undefined {
  if (run === undefined) return undefined;
  return { acting: () => run.recorder.resumable(), committed: (change) => run.committed(change) };
}

/** Returns fronts that pass bytes unchanged through the gate. */
function proxying(
  cluster: () => Pick<RealCluster, 'remote' | 'redirected'>,
  mayTunnel?: FrontOptions['mayTunnel'],
): ServeLife {
  return (upstream, { socket, identity, clientCa, token }) =>
    openFront({
      remote: cluster().remote,
      onRedirect: (code, request) => cluster().redirected(code, request),
      ...(socket === undefined ? {} : { socket }),
      ...(mayTunnel === undefined ? {} : { mayTunnel }),
      tls: { identity, clientCa },
      token,
      route: () => ({ port: upstream }),
    });
}
