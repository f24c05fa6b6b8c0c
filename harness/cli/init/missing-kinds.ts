/**
 * Finds, in an undisturbed run, kinds that a target requested and the server lacks.
 *
 * A missing kind shows in three ways: a failed discovery of the group version, a failed list or watch, or a discovery response without the
 * kind, which shows only in the client's log. Pure. Start at {@link missingKindsIn}.
 */
import { roleOf } from '../../model/actor.ts';
import type { History } from '../../model/history.ts';

/** An API group whose kinds are missing. */
export interface MissingGroup {
  readonly group: string;
  /** Known kinds or resources of the group. */
  readonly kinds: readonly string[];
}

const DISCOVERED = /^\/apis\/([^/]+)(?:\/[^/]+)?$/;
/** Log messages of client-go, controller-runtime and kopf. */
const LOGGED: readonly RegExp[] = [
  /no matches for kind \\?"(?<kind>\w+)\\?" in (?:version|group) \\?"(?<group>[\w.-]+)/g,
  /"kind": ?"(?<kind>\w+)\.(?<group>[\w-]+(?:\.[\w-]+)+)", ?"error": ?"(?:no matches for|failed to get restmapping)/g,
  /no matches for (?:kind )?(?<group>[\w-]+(?:\.[\w-]+)+)\/\w+, (?:Resource|Kind)=(?<kind>\w+)/g,
  /\bSelector\(group='(?<group>[\w-]+(?:\.[\w-]+)+)'(?:, version='\w+')?, \w+='(?<kind>[\w-]+)'/g,
];

/** @param served - Groups that the server has. */
export function missingKindsIn(
  { operations, logs = [] }: History,
  served: ReadonlySet<string>,
): readonly MissingGroup[] {
  const groups = new Map<string, Set<string>>();
  const note = (group: string, kind?: string): void => {
    // Built-in groups are skipped: if one is switched off, no CRD can provide it.
    if (!group.includes('.') || served.has(group) || isBuiltIn(group)) return;
    const kinds = groups.get(group) ?? new Set();
    if (kind !== undefined) kinds.add(kind);
    groups.set(group, kinds);
  };
  for (const { actor, verb, resource, name, outcome } of operations) {
    if (roleOf(actor) !== 'target' || outcome.type !== 'fail' || outcome.code !== 404) continue;
    if (resource === '') {
      const found = DISCOVERED.exec(name);
      if (found !== null) note(found[1] ?? '');
    } else if (verb === 'list' || verb === 'watch') {
      const dot = resource.indexOf('.');
      if (dot > 0) note(resource.slice(dot + 1), resource.slice(0, dot));
    }
  }
  for (const { line } of logs)
    for (const pattern of LOGGED)
      for (const { groups: found } of line.matchAll(pattern))
        note((found?.['group'] ?? '').split('/')[0] ?? '', found?.['kind']);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, kinds]) => ({ group, kinds: [...kinds].toSorted() }));
}

/** Reports whether a group is built in, unlike `apps.openshift.io` and `gateway.networking.k8s.io`. */
function isBuiltIn(group: string): boolean {
  return BUILT_IN.has(group);
}

const BUILT_IN: ReadonlySet<string> = new Set(
  [
    'admissionregistration',
    'apiextensions',
    'apiregistration',
    'authentication',
    'authorization',
    'certificates',
    'coordination',
    'discovery',
    'events',
    'flowcontrol.apiserver',
    'internal.apiserver',
    'metrics',
    'custom.metrics',
    'external.metrics',
    'networking',
    'node',
    'rbac.authorization',
    'resource',
    'scheduling',
    'storage',
    'storagemigration',
  ].map((name) => `${name}.k8s.io`),
);

export function missingText({ group, kinds }: MissingGroup): string {
  return kinds.length === 0 ? `kinds of ${group}` : `${kinds.join(', ')} (${group})`;
}
