/** Runs the embedded API server outside of a trial: in real time, with random ids, and with the controllers of a cluster on request. */
import { httpsCallOut, type CallOutOptions } from 'stalemate-apiserver/http';
import { ApiServer, type AuthorizationMode } from 'stalemate-apiserver';
import type { KubeletAnswers } from 'stalemate-apiserver/wire/declared-answers';
import { apiVersionOf, groupResource, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { UserInfo } from 'stalemate-apiserver/wire/http';
import { createEnvironment } from '../actors/environment/index.ts';
import { Random, randomKey } from '../determinism/random.ts';
import { realClearInterval, realDate, realSetInterval } from '../determinism/real-time.ts';

export interface CreateServerOptions {
  /** Default `allow-all`. */
  readonly authorization?: AuthorizationMode;
  /** Users by bearer token. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /** Answers requests to the kubelet: logs, exec and other subresources of pods and services. */
  readonly kubelet?: KubeletAnswers;
  /** Returns the address at which a webhook's service listens. */
  readonly resolveService?: NonNullable<CallOutOptions['resolveService']>;
}

export function createServer(options: CreateServerOptions = {}): ApiServer {
  const { authorization = 'allow-all', tokens, resolveService, kubelet } = options;
  const ids = new Random(realDate().getTime());
  return new ApiServer({
    now: () => realDate().getTime(),
    newUid: () => ids.uuid(),
    nameSuffix: () => ids.suffix(),
    tokenKey: randomKey(),
    fieldManagement: 'eager',
    authorization,
    callOut: httpsCallOut(resolveService === undefined ? {} : { resolveService }),
    ...(tokens === undefined ? {} : { tokenUser: (token) => tokens.get(token) }),
    ...(kubelet === undefined ? {} : { kubelet }),
  });
}

/** Returns `apiVersion/Kind` of each kind that the server serves without a CRD. */
export function builtInKinds(): ReadonlySet<string> {
  return new Set(
    createServer()
      .resourceKinds()
      .map((kind) => `${apiVersionOf(kind)}/${kind.kind}`),
  );
}

/** Returns the kinds of {@link builtInKinds} as plural name and group: `pods`, `deployments.apps`. */
export function builtInResources(): ReadonlySet<string> {
  return new Set(createServer().resourceKinds().map(groupResource));
}

/**
 * The controllers beside a served API server: none; garbage collection and namespace deletion; or both and the workload
 * controllers, which simulate pods without containers.
 */
export const SERVED_CONTROLLERS = ['none', 'gc', 'workloads'] as const;
export type ServedControllers = (typeof SERVED_CONTROLLERS)[number];

/** The interval of bookmarks in ms, about that of real servers. */
const BOOKMARKS_EVERY_MS = 60_000;

/**
 * Starts the controllers of a served API server, and its bookmarks. Returns a function that stops the bookmarks.
 *
 * @param caPem - The certificate that pods trust.
 */
export async function animate(server: ApiServer, environment: ServedControllers, caPem: string): Promise<() => void> {
  const on = environment !== 'none';
  const upstream = (): ApiServer => server;
  const controllers = [
    ...createEnvironment({ garbageCollection: on, namespaceController: on }, upstream, server),
    ...(environment === 'workloads' ? [await workloads(server, caPem)] : []),
  ];
  // Reports the existing objects to the controllers, which were not running when those were created.
  for (const kind of server.resourceKinds()) {
    const resource = kind.group === '' ? kind.resource : `${kind.resource}.${kind.group}`;
    for (const object of server.objects(resource)) {
      const change = addition(resource, object, server.revision);
      for (const controller of controllers) controller.onChange(change);
    }
  }
  server.observe((change) => {
    for (const controller of controllers) controller.onChange(change);
  });
  const timer = realSetInterval(() => server.sendBookmarks(), BOOKMARKS_EVERY_MS);
  return () => realClearInterval(timer);
}

/** Creates the workload controllers. Their modules are loaded only on request, because every module makes the start slower. */
async function workloads(server: ApiServer, caPem: string): Promise<Workloads> {
  const { createWorkloads } = await import('../actors/environment/workloads/index.ts');
  return createWorkloads({ upstream: server, kinds: server, now: () => realDate().getTime(), caPem });
}

type Workloads = ReturnType<typeof createEnvironment>[number];
type Change = Parameters<Parameters<ApiServer['observe']>[0]>[0];

function addition(resource: string, object: KubeObject, revision: number): Change {
  const { namespace = '', name = '', uid = '' } = object.metadata;
  return { type: 'ADDED', revision, resource, namespace, name, uid, object };
}
