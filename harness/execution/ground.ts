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
import { openEnvtest } from '../clusters/real/renewable.ts';
import { openFront } from '../gate/http/front.ts';
import { OUTSIDE_CRD } from '../model/outside.ts';
import { assembleServer, bystander, namespacesOf } from './host.ts';
import type { Subject } from './protocol.ts';
import type { Host, World } from './world.ts';

export interface Ground extends Pick<Host, 'cluster' | 'identity' | 'environment' | 'reads' | 'reseed'> {
  /** Opens what a life of the target talks to. */
  readonly serve: ServeLife;
  /** Whether the cluster has been asked for something that it has not done yet. */
  readonly isBusy: () => boolean;
}

/** What the ground knows of the run that stands on it. */
export type Standing = () => World | undefined;

/** @throws {CLUSTER_UNAVAILABLE} when there is no such cluster to be had. */
export async function openGround(subject: Subject, standing: Standing, callOut: CallOutFunction): Promise<Ground> {
  return subject.cluster === 'embedded' ? embedded(subject, standing, callOut) : envtest(subject, standing);
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
async function envtest(subject: Subject, standing: Standing): Promise<Ground> {
  const { cluster: kinds, ...base } = assembleServer(subject, () => realDate().getTime());
  const cluster = await openEnvtest({
    kinds,
    crds: [...subject.crds, ...(subject.settings.effects === true ? [OUTSIDE_CRD] : [])],
    namespaces: [subject.namespace, ...namespacesOf(subject.samples)],
    objects: [bystander(subject.namespace)],
    witness: () => {
      const world = standing();
      if (world === undefined) return undefined;
      return { acting: () => world.recorder.resumable(), committed: (change) => world.committed(change) };
    },
  });
  return {
    ...base,
    cluster,
    serve: (upstream, { socket, identity, clientCa, token }) =>
      openFront({
        remote: cluster.remote,
        ...(socket === undefined ? {} : { socket }),
        tls: { identity, clientCa },
        token,
        route: () => ({ port: upstream }),
      }),
    isBusy: () => cluster.isBusy,
  };
}
