/**
 * What the apiextensions controllers do with a definition after it is stored: accept its names, establish it, finalize it.
 *
 * Owns: conditions, storedVersions, cleaning up instances of a deleted definition. The controllers of a real server are asynchronous;
 * here they run right after the commit, each as a commit of its own, so watchers see the same sequence without the wait.
 */
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { jsonEqual } from '../../model/leaf.ts';
import { isList, isMap, type ResourceDefinition } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { CommittedChange } from '../store.ts';
import { deleteObject } from '../verbs/delete.ts';
import { CLEANUP, conditionsOf, CRDS, statusOf, type Condition } from './status.ts';

/** Runs the controllers' next step for a changed definition, and for definitions whose last instance went. */
export function reactToChange(kernel: Kernel, definition: ResourceDefinition, change: CommittedChange): void {
  if (change.resource === CRDS) {
    if (change.type === 'DELETED') return;
    if (change.object.metadata.deletionTimestamp !== undefined) finalize(kernel, change.object);
    else establish(kernel, change.object);
  } else if (definition.terminating && change.type === 'DELETED') {
    const crd = kernel.store.get(CRDS, `/${change.resource}`);
    if (crd !== undefined) finalize(kernel, crd);
  }
}

function establish(kernel: Kernel, crd: KubeObject): void {
  const definition = kernel.registry.byResource(CRDS);
  if (definition === undefined) return;
  const names = (crd['spec'] as JsonObject)['names'] as JsonObject;
  const clash = nameClash(kernel, crd, names);
  const at = kernel.timestamp();
  const accepted: Condition =
    clash === undefined
      ? {
          type: 'NamesAccepted',
          status: 'True',
          lastTransitionTime: at,
          reason: 'NoConflicts',
          message: 'no conflicts found',
        }
      : { type: 'NamesAccepted', status: 'False', lastTransitionTime: at, ...clash };
  const established: Condition =
    clash === undefined
      ? {
          type: 'Established',
          status: 'True',
          lastTransitionTime: at,
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : {
          type: 'Established',
          status: 'False',
          lastTransitionTime: at,
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        };
  const status = statusOf(crd);
  const conditions = [accepted, established].map((one) => keptIfSame(conditionsOf(crd), one));
  const stored = isList(status['storedVersions']) ? status['storedVersions'] : [];
  const storage = ((crd['spec'] as JsonObject)['versions'] as readonly JsonObject[]).find(
    (one) => one['storage'] === true,
  );
  const next: JsonObject = {
    ...status,
    conditions,
    acceptedNames: clash === undefined ? names : {},
    storedVersions:
      storage === undefined || stored.includes(storage['name'] as JsonValue)
        ? stored
        : [...stored, storage['name'] ?? ''],
  };
  if (!jsonEqual(next, status)) kernel.commit(definition, { ...crd, status: next }, crd);
}

/** A condition keeps its transition time while its status stays. */
function keptIfSame(old: readonly Condition[], fresh: Condition): Condition {
  const was = old.find((one) => one.type === fresh.type);
  if (was === undefined || was.status !== fresh.status) return fresh;
  return { ...fresh, lastTransitionTime: was.lastTransitionTime };
}

function nameClash(
  kernel: Kernel,
  crd: KubeObject,
  names: JsonObject,
): { readonly reason: string; readonly message: string } | undefined {
  const group = (crd['spec'] as JsonObject)['group'];
  for (const other of kernel.store.list(CRDS)) {
    if (other.metadata.uid === crd.metadata.uid || (other['spec'] as JsonObject)['group'] !== group) continue;
    const taken = statusOf(other)['acceptedNames'];
    if (!isMap(taken)) continue;
    const words = [taken['plural'], taken['singular'], ...(isList(taken['shortNames']) ? taken['shortNames'] : [])];
    const checks: readonly (readonly [string, JsonValue | undefined, boolean])[] = [
      ['Plural', names['plural'], words.includes(names['plural'])],
      ['Singular', names['singular'], words.includes(names['singular'])],
      ['Kind', names['kind'], names['kind'] === taken['kind'] || names['kind'] === taken['listKind']],
      ['ListKind', names['listKind'], names['listKind'] === taken['kind'] || names['listKind'] === taken['listKind']],
    ];
    for (const [which, name, clashes] of checks)
      if (clashes) return { reason: `${which}Conflict`, message: `${JSON.stringify(name)} is already in use` };
  }
  return undefined;
}

/** Deletes the instances; once none is left, lets go of the definition. */
function finalize(kernel: Kernel, crd: KubeObject): void {
  const finalizers = crd.metadata.finalizers ?? [];
  const definition = kernel.registry.byResource(CRDS);
  const name = crd.metadata.name ?? '';
  const instances = kernel.registry.byResource(name);
  if (definition === undefined || !finalizers.includes(CLEANUP)) return;
  if (instances !== undefined) {
    for (const object of kernel.store.list(name))
      if (object.metadata.deletionTimestamp === undefined) deleteObject(kernel, instances, object);
    if (kernel.store.list(name).length > 0) return;
  }
  const current = kernel.store.get(CRDS, `/${name}`);
  if (current === undefined || !(current.metadata.finalizers ?? []).includes(CLEANUP)) return;
  const rest = (current.metadata.finalizers ?? []).filter((one) => one !== CLEANUP);
  if (rest.length === 0) kernel.remove(definition, current);
  else kernel.commit(definition, { ...current, metadata: { ...current.metadata, finalizers: rest } }, current);
}
