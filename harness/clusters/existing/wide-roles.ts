/** The effects of cluster-scoped roles and bindings on other users of the cluster. Pure. */
import { listOf, mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** The prefix of labels that add a role's rules to a role that other users have: `…/aggregate-to-admin`. */
const JOINS = 'rbac.authorization.k8s.io/aggregate-to-';

/** Returns the subjects of a binding other than service accounts in the run's namespaces: `Group system:unauthenticated`. */
export function othersBoundBy(binding: KubeObject, isOwn: (namespace: string) => boolean): readonly string[] {
  if (binding.kind !== 'ClusterRoleBinding') return [];
  return listOf(binding['subjects']).flatMap((one) => {
    const { kind, name, namespace } = mapOf(one);
    const home = textOf(namespace);
    if (kind === 'ServiceAccount' && home !== '' && isOwn(home)) return [];
    return [`${textOf(kind)} ${home === '' ? '' : `${home}/`}${textOf(name)}`];
  });
}

/** Removes the labels that would add a role's rules to roles of other users; `joins` is true if there were any. */
export function byItself(role: KubeObject): { readonly role: KubeObject; readonly joins: boolean } {
  const { labels = {} } = role.metadata;
  const kept = Object.entries(labels).filter(([key]) => !key.startsWith(JOINS));
  if (role.kind !== 'ClusterRole' || kept.length === Object.keys(labels).length) return { role, joins: false };
  return { role: { ...role, metadata: { ...role.metadata, labels: Object.fromEntries(kept) } }, joins: true };
}
