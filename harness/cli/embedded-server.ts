/** The embedded API server outside a trial: real time, fresh ids, and the controllers of a cluster when asked for. */
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
  /** What pods and services answer. */
  readonly kubelet?: KubeletAnswers;
  /** Where services of webhooks listen. */
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

/** `apiVersion/Kind` of what it serves without a CRD. */
export function builtInKinds(): ReadonlySet<string> {
  return new Set(
    createServer()
      .resourceKinds()
      .map((kind) => `${apiVersionOf(kind)}/${kind.kind}`),
  );
}

/** The same by plural name and group: `pods`, `deployments.apps`. */
export function builtInResources(): ReadonlySet<string> {
  return new Set(createServer().resourceKinds().map(groupResource));
}

/**
 * What runs beside a served API server: nothing; garbage collection and namespace deletion; or those and the workload controllers,
 * which bring pods to life without containers.
 */
export const ENVIRONMENTS = ['none', 'gc', 'workloads'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** About what real servers do; a watch never waits longer for its bookmark. */
const BOOKMARKS_EVERY_MS = 60_000;

/**
 * Lets a served API server live: its controllers, and bookmarks to its watches. `caPem` is what pods are to trust. The returned
 * function stops the bookmarks.
 */
export async function animate(server: ApiServer, environment: Environment, caPem: string): Promise<() => void> {
  const on = environment !== 'none';
  const upstream = (): ApiServer => server;
  const controllers = [
    ...createEnvironment({ garbageCollection: on, namespaceController: on }, upstream, server),
    ...(environment === 'workloads' ? [await workloads(server, caPem)] : []),
  ];
  // What is there already was never reported.
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

/** Loaded only where it is asked for: every module that the start does without makes it shorter. */
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
