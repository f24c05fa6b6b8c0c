/** Aggregated cluster roles: a role with an aggregation rule gets the rules of the roles that it selects. */
import { labelsMatch, parseLabelSelector, selectorText } from 'stalemate-apiserver/selectors';
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { mapAt, type View } from './view.ts';

export async function reconcileClusterRole(api: Api, view: View, role: KubeObject): Promise<WorkResult> {
  const { clusterRoleSelectors } = mapAt(role, 'aggregationRule');
  if (!Array.isArray(clusterRoleSelectors)) return 'done';
  const matchers = (clusterRoleSelectors as readonly JsonValue[]).map((one) => parseLabelSelector(selectorText(one)));
  const rules: JsonValue[] = [];
  for (const other of byName(view.all(CLUSTER_ROLES))) {
    if (other.metadata.name === role.metadata.name) continue;
    if (!matchers.some((matcher) => typeof matcher !== 'string' && labelsMatch(matcher, other))) continue;
    for (const rule of rulesOf(other)) if (!rules.some((known) => jsonEqual(known, rule))) rules.push(rule);
  }
  return jsonEqual(rulesOf(role), rules) ? 'done' : api.patch(role, { rules });
}

export const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io';

function rulesOf(role: KubeObject): readonly JsonValue[] {
  const { rules } = role;
  return Array.isArray(rules) ? (rules as readonly JsonValue[]) : [];
}

function byName(roles: readonly KubeObject[]): readonly KubeObject[] {
  return roles.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}
