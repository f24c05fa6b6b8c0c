/** The service account of a workload's pod, and the bindings that give it roles. */
import { mapOf, mapsOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';

export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** Returns the spec of a workload's pods. */
export function podOf(workload: KubeObject): JsonObject {
  return mapOf(mapOf(mapOf(workload['spec'])['template'])['spec']);
}

/** Returns the account of a pod in a namespace. */
export function accountOf({ pod, namespace }: { readonly pod: JsonObject; readonly namespace: string }): Account {
  return { namespace, name: textOf(pod['serviceAccountName']) || textOf(pod['serviceAccount']) || 'default' };
}

/** Returns the account of a workload's pods; its namespace is empty if the workload names none. */
export function accountOfWorkload(workload: KubeObject): Account {
  return accountOf({ pod: podOf(workload), namespace: workload.metadata.namespace ?? '' });
}

/** Reports whether an object is the role that a binding gives. */
export function isRoleOf({ kind, metadata }: KubeObject, binding: KubeObject): boolean {
  const { kind: wanted, name } = mapOf(binding['roleRef']);
  return kind === wanted && metadata.name === name;
}

/**
 * Reports whether an object is a binding for the account. A subject without a namespace is in that of the binding, and what has none at all
 * is in `default`.
 */
export function binds({ kind, metadata, ...rest }: KubeObject, account: Account): boolean {
  return (
    (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') &&
    mapsOf(rest['subjects']).some(
      ({ name, namespace }) =>
        name === account.name &&
        (textOf(namespace) || metadata.namespace || 'default') === (account.namespace || 'default'),
    )
  );
}
