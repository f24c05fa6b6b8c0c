/** Tells a project's controller from its other workloads (webhooks, helpers of certificates) by what their roles let them write. */
import { mapOf, mapsOf, textsOf } from 'stalemate-apiserver/objects/json';
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { accountOf, binds, podOf } from './account.ts';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', '*']);

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

/** Returns how many custom kinds the workload may write. */
function writtenKinds(objects: readonly KubeObject[], workload: KubeObject): number {
  const account = accountOf({ pod: podOf(workload), namespace: workload.metadata.namespace ?? '' });
  const roles = objects.filter((object) => binds(object, account)).map((binding) => mapOf(binding['roleRef']));
  const rules = objects
    .filter(({ kind, metadata }) => roles.some((role) => role['kind'] === kind && role['name'] === metadata.name))
    .flatMap((role) => mapsOf(role['rules']))
    .filter((rule) => textsOf(rule['verbs']).some((verb) => WRITES.has(verb)));
  const kinds = rules.flatMap((rule) =>
    textsOf(rule['apiGroups'])
      .filter(isCustom)
      .flatMap((group) => textsOf(rule['resources']).map((resource) => `${resource.replace(/\/.*/, '')}.${group}`)),
  );
  return new Set(kinds).size;
}

/** Reports whether a group is not one of Kubernetes itself. */
function isCustom(group: string): boolean {
  return group.includes('.') && (!group.endsWith('.k8s.io') || group.endsWith('x-k8s.io'));
}
