/**
 * Role-based access control, evaluated from the stored roles and bindings.
 *
 * Owns: which rules apply to a user, and the decision with its reason. Mirrors k8s.io/kubernetes `plugin/pkg/auth/authorizer/rbac` and
 * `pkg/registry/rbac/validation`; members of system:masters may do everything, as under `--authorization-mode=RBAC`. Rules are resolved
 * once per user and namespace until a role or binding changes. Start at {@link Rbac.authorize}.
 */
import { isList, isMap, textOf } from '../../objects/json.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { UserInfo } from '../../wire/http.ts';
import { aggregated } from '../refusal.ts';
import { rowKey, type Store } from '../store.ts';
import type { Attributes } from './attributes.ts';
import { roleRefOf, ruleAllows, rulesOf, type PolicyRule, type RoleRef } from './rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
export const ROLES: string = `roles.${GROUP}`;
export const CLUSTER_ROLES: string = `clusterroles.${GROUP}`;
export const ROLE_BINDINGS: string = `rolebindings.${GROUP}`;
export const CLUSTER_ROLE_BINDINGS: string = `clusterrolebindings.${GROUP}`;

export interface Decision {
  readonly allowed: boolean;
  /** The reason for reviews and refusals; often empty. */
  readonly reason: string;
}

export interface Authorizer {
  authorize(asked: Attributes): Decision;
  rulesFor(user: UserInfo, namespace: string): UserRules;
}

export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** Errors of dangling references, joined as Go joins errors; empty when there is none. */
  readonly error: string;
}

const YES: Decision = { allowed: true, reason: '' };
const EVERYTHING: UserRules = {
  rules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
    { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
  ],
  error: '',
};

/** Allows everything: `--authorization-mode=AlwaysAllow`. */
export const ALLOW_ALL: Authorizer = { authorize: () => YES, rulesFor: () => EVERYTHING };

export const MASTERS = 'system:masters';

interface Granted {
  readonly rule: PolicyRule;
  readonly source: string;
}

interface Resolved {
  readonly granted: readonly Granted[];
  readonly error: string;
}

/** The maximum number of cached pairs of user and namespace; far more than a cluster of controllers has. */
const RESOLVED_MAX = 1_000;

export class Rbac implements Authorizer {
  readonly #store: Store;
  readonly #resolved = new Map<string, Resolved>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Invalidates the cache after a change of a role or binding. */
  forget(): void {
    this.#resolved.clear();
  }

  authorize(asked: Attributes): Decision {
    if (asked.user.groups.includes(MASTERS)) return YES;
    const { granted, error } = this.#resolve(asked.user, asked.namespace);
    for (const { rule, source } of granted)
      if (ruleAllows(rule, asked)) return { allowed: true, reason: `RBAC: allowed by ${source}` };
    return { allowed: false, reason: error === '' ? '' : `RBAC: ${error}` };
  }

  rulesFor(user: UserInfo, namespace: string): UserRules {
    const { granted, error } = this.#resolve(user, namespace);
    return { rules: granted.map(({ rule }) => rule), error };
  }

  /** Returns the rules of a referenced role, or why it is missing. */
  roleRules(ref: RoleRef, namespace: string): readonly PolicyRule[] | string {
    const cluster = ref.kind === 'ClusterRole';
    if (!cluster && ref.kind !== 'Role') return `unsupported role reference kind: ${JSON.stringify(ref.kind)}`;
    const role = this.#store.get(cluster ? CLUSTER_ROLES : ROLES, rowKey(cluster ? '' : namespace, ref.name));
    if (role !== undefined) return rulesOf(role);
    return `${cluster ? 'clusterrole' : 'role'}.${GROUP} ${JSON.stringify(ref.name)} not found`;
  }

  #resolve(user: UserInfo, namespace: string): Resolved {
    const key = JSON.stringify([namespace, user.name, user.groups]);
    let resolved = this.#resolved.get(key);
    if (resolved === undefined) {
      if (this.#resolved.size >= RESOLVED_MAX) this.#resolved.clear();
      this.#resolved.set(key, (resolved = this.#look(user, namespace)));
    }
    return resolved;
  }

  #look(user: UserInfo, namespace: string): Resolved {
    const granted: Granted[] = [];
    const errors = new Set<string>();
    const visit = (bindings: readonly KubeObject[], home: string): void => {
      for (const binding of bindings) {
        const subject = subjectFor(user, binding, home);
        if (subject === undefined) continue;
        const ref = roleRefOf(binding);
        const rules = this.roleRules(ref, home);
        if (typeof rules === 'string') errors.add(rules);
        else for (const rule of rules) granted.push({ rule, source: sourceText(binding, ref, subject) });
      }
    };
    visit(this.#store.list(CLUSTER_ROLE_BINDINGS), '');
    if (namespace !== '') visit(this.#store.list(ROLE_BINDINGS, namespace), namespace);
    return { granted, error: aggregated([...errors]) };
  }
}

/** Returns the subject of the binding that matches the user; undefined when none does. */
function subjectFor(user: UserInfo, binding: KubeObject, home: string): string | undefined {
  const subjects = binding['subjects'];
  if (!isList(subjects)) return undefined;
  for (const subject of subjects) {
    if (!isMap(subject)) continue;
    const name = textOf(subject['name']);
    switch (textOf(subject['kind'])) {
      case 'User':
        if (user.name === name) return `User ${JSON.stringify(name)}`;
        break;
      case 'Group':
        if (user.groups.includes(name)) return `Group ${JSON.stringify(name)}`;
        break;
      case 'ServiceAccount': {
        const namespace = textOf(subject['namespace']) || home;
        if (namespace !== '' && user.name === `system:serviceaccount:${namespace}:${name}`)
          return `ServiceAccount ${JSON.stringify(`${name}/${namespace}`)}`;
        break;
      }
    }
  }
  return undefined;
}

function sourceText(binding: KubeObject, ref: RoleRef, subject: string): string {
  const { name = '', namespace } = binding.metadata;
  const place = namespace === undefined ? name : `${name}/${namespace}`;
  return `${binding.kind} ${JSON.stringify(place)} of ${ref.kind} ${JSON.stringify(ref.name)} to ${subject}`;
}
