/** What roles and bindings of the whole cluster would mean for its other users. Pure. */
import { listOf, mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** Rules of a role with such a label become part of a role that other users have: `…/aggregate-to-admin`. */
const JOINS = 'rbac.authorization.k8s.io/aggregate-to-';

/** Whom a binding gives rights beside accounts in namespaces of the run: `Group system:unauthenticated`. */
export function othersBoundBy(binding: KubeObject, isOwn: (namespace: string) => boolean): readonly string[] {
  if (binding.kind !== 'ClusterRoleBinding') return [];
  return listOf(binding['subjects']).flatMap((one) => {
    const { kind, name, namespace } = mapOf(one);
    const home = textOf(namespace);
    if (kind === 'ServiceAccount' && home !== '' && isOwn(home)) return [];
    return [`${textOf(kind)} ${home === '' ? '' : `${home}/`}${textOf(name)}`];
  });
}

/** A role without what would have it change roles of other users, and whether there was any of that. */
export function byItself(role: KubeObject): { readonly role: KubeObject; readonly joins: boolean } {
  const { labels = {} } = role.metadata;
  const kept = Object.entries(labels).filter(([key]) => !key.startsWith(JOINS));
  if (role.kind !== 'ClusterRole' || kept.length === Object.keys(labels).length) return { role, joins: false };
  return { role: { ...role, metadata: { ...role.metadata, labels: Object.fromEntries(kept) } }, joins: true };
}
