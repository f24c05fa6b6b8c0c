/** Selects the objects and changes that writers may use, based on an undisturbed run. */
import { groupResource, parseApiVersion, type JsonObject, type KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf } from '../../model/actor.ts';
import { finalRevisions, nameInLabels, type History } from '../../model/history.ts';
import { OUTSIDE } from '../../model/outside.ts';
import type { Reference } from '../../model/reference.ts';
import type { ObjectTarget, Workload } from '../../model/workload.ts';
import { roleOfObject } from '../../oracle/history-index.ts';
import { inTurns, specChanges } from '../../schedule/workload/schema-arbitrary.ts';
import type { Aim, AimObject, SpecChange } from '../../schedule/workload/writer.ts';
import { objectTarget } from '../config/object-target.ts';
import type { TrialRunner } from './runner.ts';

/** Returns changes of the sample's spec that its schema allows, alternating between the objects. */
export function possibleChanges(
  runner: TrialRunner,
  base: Workload,
  crds: readonly KubeObject[],
): readonly SpecChange[] {
  const perObject = base.sample.map((object): readonly SpecChange[] => {
    const target = objectTarget(runner.host.cluster, object);
    const crd = crdOf(object, crds);
    if (target === undefined || crd === undefined) return [];
    return specChanges(crd, object).map(({ path, value }): SpecChange => ({ target, path, value }));
  });
  return [...inTurns(perObject)];
}

/** Returns the API coordinates of the sample's objects. */
export function targetsOf(runner: TrialRunner, base: Workload): readonly ObjectTarget[] {
  return base.sample.flatMap((object) => objectTarget(runner.host.cluster, object) ?? []);
}

/** Returns the objects that the target reads or writes, in their state at rest. */
export function aimOf(
  runner: TrialRunner,
  history: History,
  reference: Reference,
  base: Workload,
  healthySpecChanges: readonly SpecChange[],
  crds: readonly KubeObject[],
): Aim {
  const samples = new Set(
    targetsOf(runner, base).map((target) => `${groupResource(target)}/${target.namespace}/${target.name}`),
  );
  const read = new Set(reference.reads);
  const objects = finalRevisions(history).flatMap((revision): AimObject[] => {
    // Writers act on the cluster and cannot reach objects outside it.
    if (revision.resource === OUTSIDE) return [];
    const kind = runner.host.cluster.kindFor(revision.object.apiVersion, revision.object.kind);
    if (kind === undefined) return [];
    const name = nameInLabels(history, revision);
    const chain = history.revisions.filter((other) => other.uid === revision.uid);
    const [first] = chain;
    // Objects installed before the run began have no creation event.
    const created = first?.type === 'ADDED' && roleOf(first.actor) === 'target';
    const written = chain.some((other) => roleOf(other.actor) === 'target');
    const sample = samples.has(`${revision.resource}/${revision.namespace}/${revision.name}`);
    if (!sample && !written && !read.has(revision.resource)) return [];
    const role = roleOfObject(history, revision);
    const owned = reference.ownedLeaves[role] ?? [];
    const { group, version, resource } = kind;
    const schema = schemaOf(revision.object, crds);
    const subresources = runner.host.cluster.subresourcesOf(revision.object.apiVersion, revision.object.kind);
    return [
      {
        target: { group, version, resource, namespace: revision.namespace, name },
        kind: kind.kind,
        object: revision.object,
        relation: created ? 'created-by-target' : sample ? 'sample' : written ? 'written' : 'read',
        updated: chain.slice(1).some((other) => roleOf(other.actor) === 'target'),
        hasStatus: subresources.has('status'),
        hasScale: subresources.has('scale'),
        ownedLeaves: owned,
        ...(schema === undefined ? {} : { schema }),
      },
    ];
  });
  return { objects, healthySpecChanges };
}

/** Returns the schema of a custom resource's version, for writers that change more than well-known fields. */
function schemaOf(object: KubeObject, crds: readonly KubeObject[]): JsonObject | undefined {
  const { version } = parseApiVersion(object.apiVersion);
  const spec = crdOf(object, crds)?.['spec'] as CrdSpec | undefined;
  return spec?.versions?.find((candidate) => candidate.name === version)?.schema?.openAPIV3Schema;
}

/** Returns the CRD of an object's kind; undefined for built-in kinds. */
function crdOf(object: KubeObject, crds: readonly KubeObject[]): KubeObject | undefined {
  const { group } = parseApiVersion(object.apiVersion);
  return crds.find((crd) => {
    const spec = crd['spec'] as CrdSpec | undefined;
    return spec?.group === group && spec.names?.kind === object.kind;
  });
}

interface CrdSpec {
  readonly group?: string;
  readonly names?: { readonly kind?: string };
  readonly versions?: readonly {
    readonly name?: string;
    readonly schema?: { readonly openAPIV3Schema?: JsonObject };
  }[];
}
