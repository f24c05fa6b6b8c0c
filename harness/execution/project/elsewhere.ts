/**
 * Adapts a project's manifests to an existing cluster: selects what can be created there without affecting other users.
 *
 * Namespaced objects go into the run's namespaces; cluster roles and their bindings get names specific to the run. Webhooks are left out,
 * because they would be called for other users' objects. The target's own Deployment gets no replicas: if the cluster runs pods, it would
 * start a second instance. Owns: these decisions. Does not own: creating the objects (`clusters/existing/`). Start at {@link elsewhere}.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import { groupResource, type KubeObject, type ResourceKind } from 'stalemate-apiserver/objects/object';
import { byItself, othersBoundBy } from '../../clusters/existing/wide-roles.ts';
import type { Shipped } from '../../clusters/real/shipped.ts';
import type { ProjectManifests } from '../../model/counterexample.ts';
import { accountOf } from './account.ts';
import { targetWorkload, workloadKey } from './deployment.ts';
import { creationsOf } from './install.ts';
import { configInvalid } from '../config-invalid.ts';

export interface Elsewhere {
  /** Translates an object to the cluster's namespace names. */
  readonly place: (object: KubeObject) => KubeObject;
  readonly there: (namespace: string) => string;
  /** Returns the name that a cluster-scoped object has on the existing cluster. */
  readonly called: (name: string) => string;
  readonly kindFor: (apiVersion: string, kind: string) => ResourceKind | undefined;
  /** Reports whether the user allows a cluster-scoped object that affects other users. */
  readonly allows: (resource: string, name: string) => boolean;
}

const WEBHOOKS = /^(?:Validating|Mutating)WebhookConfiguration$/;
const BINDINGS = 'clusterrolebindings.rbac.authorization.k8s.io';
const ROLES: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding']);

/**
 * Returns the objects to create, and warnings about the rest.
 *
 * @throws {CONFIG_INVALID} for objects that would affect other users.
 */
export function elsewhere(
  project: ProjectManifests,
  namespace: string,
  at: Elsewhere,
): { readonly shipped: Shipped; readonly warnings: readonly string[] } {
  const { authorization } = project;
  const workload = targetWorkload(project, namespace);
  const isTarget = (object: KubeObject): boolean => workload !== undefined && workloadKey(object) === project.workload;
  const webhooks = project.objects.filter(({ kind }) => WEBHOOKS.test(kind));
  const bindings = project.objects.filter((object) => othersOf(object, at).length > 0);
  const rest = project.objects
    .filter((object) => !webhooks.includes(object) && !bindings.includes(object) && object.kind !== 'Namespace')
    .map((object) => byItself(object).role);
  refuse(rest.filter((object) => !ROLES.has(object.kind) && isEverybodys(object, at)));
  const roles = new Set(rest.flatMap(({ kind, metadata }) => (kind === 'ClusterRole' ? [metadata.name] : [])));
  const objects = rest
    .filter((object) => object.kind !== 'DaemonSet' || !isTarget(object))
    .map((object) => (isTarget(object) ? { ...object, spec: { ...mapOf(object['spec']), replicas: 0 } } : object))
    .map((object) => renamed(at.place(object), roles, at.called));
  const account = workload === undefined ? undefined : accountOf(workload);
  const isEnforced = account !== undefined && authorization === 'rbac';
  return {
    shipped: {
      creations: creationsOf(objects, at.there(namespace), at.kindFor),
      // With `allow-all`, the target uses the rights of the user who named the cluster; no account is granted rights.
      ...(isEnforced ? { account: { ...account, namespace: at.there(account.namespace) } } : {}),
      authorization,
    },
    warnings: [
      ...webhooks.map(
        ({ kind, metadata }) =>
          `${kind} ${metadata.name ?? ''} is skipped: on an existing cluster it would be called for objects of other users`,
      ),
      ...bindings.map(
        (binding) =>
          `ClusterRoleBinding ${binding.metadata.name ?? ''} is skipped: on an existing cluster it would give rights to ${othersOf(binding, at).join(', ')}; if that is intended, add --allow-cluster-write '${BINDINGS}=${binding.metadata.name ?? ''}'`,
      ),
      ...project.objects
        .filter((object) => byItself(object).joins)
        .map(
          ({ metadata }) =>
            `ClusterRole ${metadata.name ?? ''} is made without its labels "aggregate-to-…": on an existing cluster they would give its rights to other users`,
        ),
    ],
  };
}

/** Returns the subjects outside the run to which a binding would grant rights without the user's permission. */
function othersOf(object: KubeObject, { there, allows }: Elsewhere): readonly string[] {
  const outsiders = othersBoundBy(object, (namespace) => there(namespace) !== namespace);
  return allows(BINDINGS, object.metadata.name ?? '') ? [] : outsiders;
}

function isEverybodys({ apiVersion, kind, metadata }: KubeObject, { kindFor, allows }: Elsewhere): boolean {
  const of = kindFor(apiVersion, kind);
  return of?.namespaced === false && !allows(groupResource(of), metadata.name ?? '');
}

function refuse(everybodys: readonly KubeObject[]): void {
  if (everybodys.length === 0) return;
  const names = everybodys.map(({ kind, metadata }) => `${kind} "${metadata.name ?? ''}"`).join(', ');
  throw configInvalid(
    `the manifests hold ${names}, which on an existing cluster would affect all of its users; expected objects in namespaces, definitions, ` +
      'ClusterRoles and ClusterRoleBindings; leave the rest out of --manifests, see whether the cluster has them, or allow them (--allow-cluster-write KIND=NAME)',
  );
}

/** Gives cluster roles and bindings names specific to the run, and updates references to them. */
function renamed(object: KubeObject, roles: ReadonlySet<string | undefined>, called: Elsewhere['called']): KubeObject {
  const { metadata, kind } = object;
  const own = ROLES.has(kind) ? { metadata: { ...metadata, name: called(metadata.name ?? '') } } : {};
  const to = mapOf(object['roleRef']);
  const name = textOf(to['name']);
  const isOwn = to['kind'] === 'ClusterRole' && roles.has(name);
  return { ...object, ...own, ...(isOwn ? { roleRef: { ...to, name: called(name) } } : {}) };
}
