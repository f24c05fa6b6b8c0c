/**
 * Installs a project's manifests on a real server: its objects, created as its author would create them, and the target's service account.
 *
 * Owns: the requests. Does not own: which objects, in which order (`execution/project/`). Start at {@link ship}.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { RemoteOptions } from '../../gate/http/remote.ts';
import { OwnerUids } from '../owner-uids.ts';
import { ask, expectMade } from './own-requests.ts';
import { given } from '../../model/given.ts';

/** One object to create. */
export interface Creation {
  /** The path of the collection. */
  readonly path: string;
  readonly object: KubeObject;
  /** The description in messages. */
  readonly what: string;
}

/** A service account. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

export interface Shipped {
  /** The objects to create, in this order. */
  readonly creations: readonly Creation[];
  /** The target's service account; absent if the target is an administrator. */
  readonly account?: Account;
  /** `rbac`: the account may do what its roles grant; `allow-all`: it may do everything. */
  readonly authorization: 'rbac' | 'allow-all';
}

/** The lifetime of a token: longer than any campaign, unless the server permits less. */
const TOKEN_SECONDS = 7 * 24 * 60 * 60;

/**
 * Creates the objects; existing ones stay unchanged. Resolves with a token of the account.
 *
 * @throws {MANIFEST_INVALID} if the server rejects one.
 */
export async function ship(upstream: Upstream, shipped: Shipped): Promise<string | undefined> {
  const { creations, account, authorization } = shipped;
  const uids = new OwnerUids();
  for (const creation of creations) {
    const object = uids.completed(creation.object);
    uids.learn(object, await create(upstream, { ...creation, object }));
  }
  if (account === undefined) return undefined;
  await create(upstream, accountCreation(account));
  if (authorization === 'allow-all') await create(upstream, clusterAdminBinding(account));
  return tokenOf(upstream, account);
}

/** Returns options for the same server with only the account's credentials. */
export function asAccount(
  { url, ca, insecure, serverName }: RemoteOptions,
  token: string | undefined,
): RemoteOptions | undefined {
  if (token === undefined) return undefined;
  return {
    url,
    authorization: () => `Bearer ${token}`,
    ...given({ ca, insecure, serverName }),
  };
}

/** Resolves with the created object, or with undefined if it existed before. */
async function create(upstream: Upstream, { path, object, what }: Creation): Promise<JsonValue | undefined> {
  const answer = await ask(upstream, 'POST', path, object);
  if (answer.code === 409 && textOf(mapOf(answer.body)['reason']) === 'AlreadyExists') return undefined;
  expectMade(answer, what);
  if (object.kind === 'ResourceQuota') await begin(upstream, path, object);
  return answer.body;
}

/**
 * Reports the usage of a new quota. A server rejects creates until the usage is reported, which kube-controller-manager does where it runs.
 */
async function begin(upstream: Upstream, path: string, { metadata, spec }: KubeObject): Promise<void> {
  const hard = mapOf(mapOf(spec)['hard']);
  const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  await ask(upstream, 'PATCH', `${path}/${metadata.name ?? ''}/status`, { status: { hard, used } });
}

function accountCreation({ namespace, name }: Account): Creation {
  return {
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    what: `the service account ${namespace}/${name}`,
  };
}

function clusterAdminBinding(account: Account): Creation {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    path: `/apis/${apiGroup}/v1/clusterrolebindings`,
    object: {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'stalemate-allow-all' },
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
    what: `the binding that lets ${account.namespace}/${account.name} do everything`,
  };
}

async function tokenOf(upstream: Upstream, { namespace, name }: Account): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
  const answer = await ask(upstream, 'POST', path, { ...request, spec: { expirationSeconds: TOKEN_SECONDS } });
  expectMade(answer, `the request for a token of ${namespace}/${name}`);
  return textOf(mapOf(mapOf(answer.body)['status'])['token']);
}
