/**
 * Prevents privilege escalation: users can only grant permissions that they have.
 *
 * Owns: the checks of k8s.io/kubernetes `pkg/registry/rbac/<resource>/policybased`, the verbs `escalate` and `bind`. Under AlwaysAllow
 * there is no escalation. Start at {@link escalationRefusal}.
 */
import { jsonEqual, isList, isMap } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { UserInfo } from '../../wire/http.ts';
import type { Call } from '../call.ts';
import { forbidden, notFound, type Refusal } from '../refusal.ts';
import { ADMIN, type Attributes } from './attributes.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, MASTERS, ROLE_BINDINGS, ROLES, type Rbac } from './rbac.ts';
import { describeRules, goStrings, missingRules, parseRules, roleRefOf, type PolicyRule } from './rules.ts';

const RBAC_RESOURCES: ReadonlySet<string> = new Set([ROLES, CLUSTER_ROLES, ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS]);

/** Reports whether writes of the resource can escalate privileges. */
export function isRbacResource(gr: string): boolean {
  return RBAC_RESOURCES.has(gr);
}

/** Refuses a write of a role or binding that grants permissions that the writer does not have. `old`: the stored object, on updates. */
export function escalationRefusal(
  rbac: Rbac,
  call: Call,
  object: JsonObject,
  old: KubeObject | undefined,
): Refusal | undefined {
  const { definition, namespace } = call.route;
  const user = call.request.user ?? ADMIN;
  if (user.groups.includes(MASTERS) || (old !== undefined && onlyCollectorFields(object, old))) return undefined;
  const name = nameOf(object);
  const isRole = definition.gr === ROLES || definition.gr === CLUSTER_ROLES;
  if (isRole) {
    if (allowed(rbac, user, 'escalate', definition.resource, call.route.name, namespace)) return undefined;
    const held = heldBack(rbac, user, namespace, parseRules(object['rules']));
    if (held !== undefined) return forbidden(definition, name, held);
    const aggregates = hasAggregation(object) || (old !== undefined && hasAggregation(old));
    if (!aggregates || heldBack(rbac, user, namespace, EVERYTHING) === undefined) return undefined;
    return forbidden(definition, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
  const ref = roleRefOf(object);
  const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if (allowed(rbac, user, 'bind', resource, ref.name, namespace)) return undefined;
  const rules = rbac.roleRules(ref, namespace);
  // The missing role is reported under the name of the binding's resource.
  if (typeof rules === 'string') return notFound(definition, ref.name);
  const held = heldBack(rbac, user, namespace, rules);
  return held === undefined ? undefined : forbidden(definition, name, held);
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

function nameOf(object: JsonObject): string {
  const metadata = object['metadata'];
  const name = isMap(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' ? name : '';
}

function allowed(rbac: Rbac, user: UserInfo, verb: string, resource: string, name: string, namespace: string): boolean {
  const group = 'rbac.authorization.k8s.io';
  const asked: Attributes = {
    user,
    verb,
    isResource: true,
    path: '',
    group,
    resource,
    subresource: '',
    namespace,
    name,
  };
  return rbac.authorize(asked).allowed;
}

/** Returns the missing rules as text; undefined when none is missing. */
function heldBack(rbac: Rbac, user: UserInfo, namespace: string, rules: readonly PolicyRule[]): string | undefined {
  const own = rbac.rulesFor(user, namespace);
  const missing = missingRules(own.rules, rules);
  if (missing.length === 0) return undefined;
  const who = `user ${JSON.stringify(user.name)} (groups=${goStrings(user.groups)})`;
  const errors = own.error === '' ? '' : `; resolution errors: [${own.error}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${errors}`;
}

function hasAggregation(role: JsonObject): boolean {
  const rule = role['aggregationRule'];
  return isMap(rule) && isList(rule['clusterRoleSelectors']) && rule['clusterRoleSelectors'].length > 0;
}

/** Reports whether only owner references and finalizers differ: a garbage collector may remove them from any object. */
function onlyCollectorFields(object: JsonObject, old: KubeObject): boolean {
  return jsonEqual(withoutCollectorFields(object), withoutCollectorFields(old));
}

function withoutCollectorFields(object: JsonObject): JsonObject {
  const { metadata, ...rest } = object;
  const { ownerReferences: _, finalizers: __, managedFields: ___, ...meta } = isMap(metadata) ? metadata : {};
  return { ...rest, metadata: meta };
}
