/** What the project's roles do not let the target do, as the rule that is missing. */
import type { DeniedRequest } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** Whether the manifests say who may do what: without a binding, nobody meant them to. */
export function bindsAnything(objects: readonly KubeObject[]): boolean {
  return objects.some(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
}

/** One line for each denied request: who, what, and the rule to add. */
export function deniedText({ user, verb, resource, subresource, group, namespace, path }: DeniedRequest): string {
  if (resource === '') {
    const rule = `{nonResourceURLs: ["${path}"], verbs: ["${verb}"]}`;
    return `${user} may not ${verb} ${path}: the manifests grant it no rule ${rule}`;
  }
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'in the whole cluster' : `in namespace ${namespace}`;
  const rule = `{apiGroups: ["${group}"], resources: ["${full}"], verbs: ["${verb}"]}`;
  return `${user} may not ${verb} ${full}${group === '' ? '' : `.${group}`} ${where}: the manifests grant it no rule ${rule}`;
}
