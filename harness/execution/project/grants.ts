/** Tells a project's controller from its other workloads (webhooks, helpers of certificates) by what their roles let them write. */
import { mapOf, mapsOf, textOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { accountOfWorkload, binds, isRoleOf } from './account.ts';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', '*']);

/** Roles of every cluster that let nothing of a custom kind be written. */
const WITHOUT_CUSTOM_KINDS = /^(?:system:.*|view|extension-apiserver-authentication-reader)$/;

/**
 * Returns the workload whose service account may write more custom kinds than that of any other; undefined if no role grants any, or if
 * two workloads may write the same number.
 */
export function mostGranted(objects: readonly KubeObject[], workloads: readonly KubeObject[]): KubeObject | undefined {
  const counted = workloads
    .map((workload) => ({ workload, count: writtenKinds(objects, workload) }))
    .toSorted((a, b) => b.count - a.count);
  const [first, second] = counted;
  return first === undefined || first.count === 0 || first.count === second?.count ? undefined : first.workload;
}

/** Returns how many custom kinds the workload may write; infinitely many if its roles say "all", or are not among the objects. */
function writtenKinds(objects: readonly KubeObject[], workload: KubeObject): number {
  const account = accountOfWorkload(workload);
  const known = objects
    .filter((object) => binds(object, account))
    .filter((binding) => !WITHOUT_CUSTOM_KINDS.test(textOf(mapOf(binding['roleRef'])['name'])))
    .map((binding) => objects.find((object) => isRoleOf(object, binding)));
  // The rules of these are in the cluster only: `cluster-admin`, and roles that others are aggregated into.
  if (known.some((role) => role === undefined || role['aggregationRule'] !== undefined))
    return Number.POSITIVE_INFINITY;
  const rules = known
    .flatMap((role) => mapsOf(role?.['rules']))
    .filter((rule) => textsOf(rule['verbs']).some((verb) => WRITES.has(verb)));
  if (rules.some(isAboutAll)) return Number.POSITIVE_INFINITY;
  const kinds = rules.flatMap((rule) =>
    textsOf(rule['apiGroups'])
      .filter(isCustom)
      .flatMap((group) => textsOf(rule['resources']).map((resource) => `${resource.replace(/\/.*/, '')}.${group}`)),
  );
  return new Set(kinds).size;
}

function isAboutAll(rule: JsonObject): boolean {
  const groups = textsOf(rule['apiGroups']);
  return groups.includes('*') || (textsOf(rule['resources']).includes('*') && groups.some(isCustom));
}

/** Reports whether a group is not one of Kubernetes itself. */
function isCustom(group: string): boolean {
  return group.includes('.') && (!group.endsWith('.k8s.io') || group.endsWith('x-k8s.io'));
}
