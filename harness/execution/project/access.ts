/** Describes requests that the project's roles deny, and names the missing rule. */
import type { DeniedRequest } from 'stalemate-apiserver';
import type { KubeObject } from 'stalemate-apiserver/objects/object';

/** Reports whether the manifests bind roles. Without a binding, permissions are not enforced by default. */
export function bindsAnything(objects: readonly KubeObject[]): boolean {
  return objects.some(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding');
}

/** Returns one line for a denied request: the user, the request, and the rule to add. */
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
