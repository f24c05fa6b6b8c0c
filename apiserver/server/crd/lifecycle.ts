/**
 * The apiextensions controllers: they accept a stored definition's names, establish it, finalize it.
 *
 * Owns: conditions, storedVersions, cleaning up instances of a deleted definition. The controllers of a real server are asynchronous. Here
 * they run right after the commit, with a commit for each step, so watches deliver the same sequence without the wait.
 */
import { isList, isMap, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type ResourceDefinition } from '../definition.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { aggregated } from '../refusal.ts';
import type { CommittedChange } from '../store.ts';
import { deleteObject } from '../verbs/delete.ts';
import { approvalCondition } from './approval.ts';
import { CLEANUP, conditionsOf, CRDS, isEstablished, statusOf, type Condition } from './status.ts';

/** Runs the controllers' next step for a changed definition, and for definitions whose last instance was deleted. */
export function reactToChange(
  kernel: Kernel,
  definition: ResourceDefinition,
  change: CommittedChange,
  by: Call | undefined,
): void {
  if (change.resource === CRDS) {
    if (change.type === 'DELETED') releaseNames(kernel, change.object);
    else if (change.object.metadata.deletionTimestamp !== undefined) finalize(kernel, change.object);
    else reconcileNames(kernel, change.object, by?.internal === true);
  } else if (definition.terminating && change.type === 'DELETED') {
    const crd = kernel.store.get(CRDS, `/${change.resource}`);
    if (crd !== undefined) finalize(kernel, crd);
  }
}

/** Gives the names of a deleted definition to definitions that wait for them. */
function releaseNames(kernel: Kernel, gone: KubeObject): void {
  const group = specOf(gone)['group'];
  for (const crd of kernel.store.list(CRDS))
    if (specOf(crd)['group'] === group && crd.metadata.deletionTimestamp === undefined && !isAccepted(crd))
      reconcileNames(kernel, crd, false);
}

function specOf(crd: KubeObject): JsonObject {
  return crd['spec'] as JsonObject;
}

function isAccepted(crd: KubeObject): boolean {
  return conditionsOf(crd).some((one) => one.type === 'NamesAccepted' && one.status === 'True');
}

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

const ACCEPTED: Verdict = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
const INITIAL = 'the initial names have been accepted';
const INSTALLING: Verdict = { status: 'False', reason: 'Installing', message: INITIAL };
const ESTABLISHED: Verdict = { status: 'True', reason: 'InitialNamesAccepted', message: INITIAL };
const NOT_ACCEPTED: Verdict = { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };

/**
 * Runs the naming controller, then the establishing and the approval controller, with a commit for each. `atOnce`: all in one commit, for
 * definitions that are installed in process.
 */
function reconcileNames(kernel: Kernel, crd: KubeObject, atOnce: boolean): void {
  const definition = kernel.registry.byResource(CRDS);
  if (definition === undefined) return;
  const status = statusOf(crd);
  const { names, clash } = acceptNames(kernel, crd);
  const established = isEstablished(crd);
  let conditions = withCondition(kernel, conditionsOf(crd), 'NamesAccepted', clash ?? ACCEPTED);
  const verdict = clash !== undefined ? NOT_ACCEPTED : atOnce ? ESTABLISHED : INSTALLING;
  if (!established) conditions = withCondition(kernel, conditions, 'Established', verdict);
  const approval = approvalCondition(crd);
  if (approval !== undefined && atOnce) conditions = withCondition(kernel, conditions, approval.type, approval);
  const next: JsonObject = { ...status, conditions, acceptedNames: names };
  // The commit calls this function again; only the last step is left then.
  if (!jsonEqual(next, status)) {
    kernel.commit(definition, { ...crd, status: next }, crd, undefined);
    return;
  }
  let done = conditions;
  if (clash === undefined && !established) done = withCondition(kernel, conditions, 'Established', ESTABLISHED);
  else if (approval !== undefined) done = withCondition(kernel, conditions, approval.type, approval);
  if (!jsonEqual(done, conditions))
    kernel.commit(definition, { ...crd, status: { ...status, conditions: done } }, crd, undefined);
}

/** Returns the conditions with one of them set. It keeps its position, and its transition time while its status is unchanged. */
function withCondition(
  kernel: Kernel,
  conditions: readonly Condition[],
  type: string,
  verdict: Verdict,
): readonly Condition[] {
  const was = conditions.find((one) => one.type === type);
  const { status, reason, message } = verdict;
  const lastTransitionTime = was !== undefined && was.status === status ? was.lastTransitionTime : kernel.timestamp();
  const fresh: Condition = { type, status, lastTransitionTime, reason, message };
  return was === undefined ? [...conditions, fresh] : conditions.map((one) => (one === was ? fresh : one));
}

interface Accepted {
  readonly names: JsonObject;
  /** The last conflict, as the controller reports it. */
  readonly clash: Verdict | undefined;
}

/** Accepts the names one by one; conflicting names stay unchanged. */
function acceptNames(kernel: Kernel, crd: KubeObject): Accepted {
  const wanted = specOf(crd)['names'] as JsonObject;
  const before = statusOf(crd)['acceptedNames'];
  const names: { [name: string]: JsonValue | undefined } = { ...(isMap(before) ? before : {}) };
  const { words, kinds } = takenNames(kernel, crd);
  let clash: Verdict | undefined;
  const conflict = (which: string, text: string): void => {
    clash = { status: 'False', reason: `${which}Conflict`, message: text };
  };
  const take = (key: string, which: string, taken: ReadonlySet<JsonValue>): void => {
    const name = wanted[key];
    if (name === undefined || name === '') return;
    if (taken.has(name)) conflict(which, `${JSON.stringify(name)} is already in use`);
    else names[key] = name;
  };
  take('plural', 'Plural', words);
  take('singular', 'Singular', words);
  const shortNames = isList(wanted['shortNames']) ? wanted['shortNames'] : [];
  const inUse = shortNames.filter((name) => words.has(name));
  if (inUse.length > 0) {
    const each = inUse.map((name) => `${JSON.stringify(name)} is already in use`);
    conflict('ShortNames', aggregated(each));
  } else if (shortNames.length > 0) names['shortNames'] = shortNames;
  else delete names['shortNames'];
  take('kind', 'Kind', kinds);
  take('listKind', 'ListKind', kinds);
  const { categories } = wanted;
  if (isList(categories) && categories.length > 0) names['categories'] = categories;
  else delete names['categories'];
  return { names, clash };
}

function takenNames(
  kernel: Kernel,
  crd: KubeObject,
): { readonly words: ReadonlySet<JsonValue>; readonly kinds: ReadonlySet<JsonValue> } {
  const words = new Set<JsonValue>();
  const kinds = new Set<JsonValue>();
  const group = specOf(crd)['group'];
  for (const other of kernel.store.list(CRDS)) {
    const taken = statusOf(other)['acceptedNames'];
    if (other.metadata.uid === crd.metadata.uid || specOf(other)['group'] !== group || !isMap(taken)) continue;
    for (const key of ['plural', 'singular']) if (taken[key] !== undefined && taken[key] !== '') words.add(taken[key]);
    for (const name of isList(taken['shortNames']) ? taken['shortNames'] : []) words.add(name);
    for (const key of ['kind', 'listKind']) if (taken[key] !== undefined && taken[key] !== '') kinds.add(taken[key]);
  }
  return { words, kinds };
}

const DELETING: Verdict = {
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};

/** Deletes the instances; once none is left, removes the finalizer of the definition. */
function finalize(kernel: Kernel, crd: KubeObject): void {
  const finalizers = crd.metadata.finalizers ?? [];
  const definition = kernel.registry.byResource(CRDS);
  const name = crd.metadata.name ?? '';
  const instances = kernel.registry.byResource(name);
  if (definition === undefined || !finalizers.includes(CLEANUP)) return;
  const conditions = withCondition(kernel, conditionsOf(crd), 'Terminating', DELETING);
  if (!jsonEqual(conditions, conditionsOf(crd))) {
    // The commit calls back here and continues.
    kernel.commit(definition, { ...crd, status: { ...statusOf(crd), conditions } }, crd, undefined);
    return;
  }
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
