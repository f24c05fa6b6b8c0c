/**
 * Compares the state at rest with the state that a fresh copy of the target produces from the same foreign input.
 *
 * Owns: matching objects across two runs (by owner, role and order, not by name) and which leaves of them count: the target's own, without
 * volatile ones, and `observedGeneration` only by how far it lags behind. Start at {@link differences}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { objectKey, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { isSameLag } from '../model/generation-lag.ts';
import { OUTSIDE } from '../model/outside.ts';
import { isAside } from '../model/aside.ts';
import { roleOf, WORKLOADS } from '../model/actor.ts';
import { finalRevisions, type History, type Revision } from '../model/history.ts';
import { diffContent, isTime, leafPattern, leavesOf } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import type { ExpectedState, ProbeResult } from '../model/probe.ts';
import { isPutAside } from '../model/waiver.ts';
import { aliases, nameAlso, placeWith, withoutAliased } from './aliases.ts';
import { logsThatEndAlike } from './condition-logs.ts';
import { indexOf, isVolatile, names } from './history-index.ts';
import { saidIn } from './sent-leaves.ts';

/** An object with its canonical key; for generated names the key includes the object's order within its role. */
export interface Placed {
  readonly key: string;
  readonly resource: string;
  readonly role: string;
  readonly object: KubeObject;
}
export type State = ReadonlyMap<string, Placed>;

export interface Difference {
  readonly what: 'missing-object' | 'extra-object' | 'wrong-value';
  readonly resource: string;
  /** `deployments.apps/web`. */
  readonly object: string;
  /** Empty if a whole object differs. */
  readonly path: string;
  /** The path without what only this run calls so. */
  readonly place?: string | undefined;
  readonly expected?: JsonValue | undefined;
  readonly actual?: JsonValue | undefined;
  /** The uid of the actual object. */
  readonly uid?: string | undefined;
}

/**
 * Reports whether a resource is not compared: the number of Events and locks is irrelevant to convergence, and external resources have a
 * property of their own.
 */
function isUncompared(resource: string): boolean {
  return isAside(resource) || resource === OUTSIDE;
}

/**
 * Reports whether an object belongs to a Deployment's rollout. Its ReplicaSets and Pods are named after a hash of the template, so the
 * Deployment is compared instead, without its random parts.
 */
function isOfRollout({ metadata }: KubeObject): boolean {
  return metadata.labels?.['pod-template-hash'] !== undefined;
}

/** Matches fields that keep an object from being garbage-collected. */
const HOLDS_ALIVE = /^metadata\.(finalizers|ownerReferences)\[/;

/** Returns the state at the end of a history. */
export function finalState(history: History): State {
  return place(
    restingRevisions(history).map((revision) => ({
      key: objectKey(revision.resource, revision.namespace, history.names[revision.uid] ?? revision.name),
      resource: revision.resource,
      object: revision.object,
    })),
  );
}

/**
 * Returns the last version of every object that still exists, in order of first appearance; without objects of the environment, such as a
 * node or a volume, which remain even if no longer needed.
 */
export function restingRevisions(history: History): readonly Revision[] {
  const environment = new Set(history.revisions.filter(isEnvironment).map(({ uid }) => uid));
  return finalRevisions(history).filter(({ uid }) => !environment.has(uid));
}

/** Reports whether the environment created the object and no object owns it. */
function isEnvironment({ type, actor, object }: Revision): boolean {
  return type === 'ADDED' && actor === WORKLOADS && (object.metadata.ownerReferences ?? []).length === 0;
}

/**
 * Returns the state from a probe's list of objects, limited to kinds that occur in the history or only in the result of the fresh copy: the
 * first object of a kind may have been created after the end of the history.
 */
export function probedState(
  history: History,
  objects: readonly KubeObject[],
  uidNames: { readonly [uid: string]: string },
): State {
  const resources = resourcesOf(history);
  return place(
    objects.flatMap((object) => {
      const resource = resources.get(kindText(object));
      if (resource === undefined) return [];
      const { namespace = '', name = '', uid = '' } = object.metadata;
      return [{ key: objectKey(resource, namespace, uidNames[uid] ?? name), resource, object }];
    }),
  );
}

function resourcesOf({ revisions, probes }: History): ReadonlyMap<string, string> {
  const resources = new Map<string, string>();
  for (const probe of probes) {
    for (const { objects } of allowedBy(probe)) {
      for (const [key, object] of Object.entries(objects)) resources.set(kindText(object), resourceOfKey(key));
    }
  }
  for (const { object, resource } of revisions) resources.set(kindText(object), resource);
  return resources;
}

function allowedBy(probe: ProbeResult): readonly ExpectedState[] {
  if (probe.probe === 'expected-state') return probe.outcomes;
  return 'expected' in probe ? probe.expected : [];
}

/** Returns the kind of an object as a text, for comparing kinds. */
export function kindText({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion} ${kind}`;
}

function resourceOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

const outcomes = new WeakMap<ExpectedState, State>();

/** Returns the state that an outcome of an `expected-state` probe allows. */
export function allowedState(outcome: ExpectedState): State {
  let state = outcomes.get(outcome);
  if (state === undefined) {
    state = place(
      Object.entries(outcome.objects).map(([key, object]) => ({
        key,
        resource: resourceOfKey(key),
        object,
      })),
    );
    outcomes.set(outcome, state);
  }
  return state;
}

/**
 * Returns a state in which objects with generated names are renumbered by order, so that two runs can be compared: `~2` and `~5` become
 * `~0` and `~1`. The objects of rollouts are not compared, but others name them, such as their addresses.
 */
function place(entries: readonly Omit<Placed, 'role'>[]): State {
  const state = new Map<string, Placed>();
  const rollouts = new Map<string, Placed>();
  let generated: Map<string, { readonly n: number; readonly entry: Omit<Placed, 'role'> }[]> | undefined;
  for (const entry of entries) {
    const { key, resource, object } = entry;
    if (isUncompared(resource)) continue;
    const tilde = key.lastIndexOf('~');
    if (tilde < 0) {
      (isOfRollout(object) ? rollouts : state).set(key, { ...entry, role: roleOfKey(key, resource) });
      continue;
    }
    generated ??= new Map();
    const stem = key.slice(0, tilde);
    const group = generated.get(stem) ?? [];
    group.push({ n: Number(key.slice(tilde + 1)), entry });
    generated.set(stem, group);
  }
  for (const [stem, group] of generated ?? []) {
    group.sort((a, b) => a.n - b.n);
    for (const [order, { entry }] of group.entries()) {
      const key = `${stem}~${order}`;
      const placed = { ...entry, key, role: roleOfKey(stem, entry.resource) };
      (isOfRollout(entry.object) ? rollouts : state).set(key, placed);
    }
  }
  if (rollouts.size > 0) nameAlso(state, rollouts);
  return state;
}

function roleOfKey(key: string, resource: string): string {
  return `${resource}:${key.slice(key.indexOf('/', resource.length + 1) + 1)}`;
}

/** Returns the differences from the nearest allowed state; empty if the state is allowed, or if no allowed state is known. */
export function nearestDifferences(
  history: History,
  state: State,
  allowed: readonly ExpectedState[],
): readonly Difference[] {
  let smallest: readonly Difference[] | undefined;
  for (const outcome of allowed) {
    const found = differences(history, state, allowedState(outcome));
    if (found.length === 0) return found;
    if (smallest === undefined || found.length < smallest.length) smallest = found;
  }
  return smallest ?? [];
}

/**
 * Matches an item of a list of sentences, which may contain values that differ between runs. Keys of maps contain no spaces and do not
 * match.
 */
const SENTENCE_ITEM = /\["(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"\]/g;

/** Returns the text for an object, followed by its field unless the whole object differs. */
export function placeOf({ object, path, place = path }: Pick<Difference, 'object' | 'path' | 'place'>): string {
  return `${object} ${leafPattern(place).replaceAll(SENTENCE_ITEM, '[*]')}`;
}

/** Returns where the target's own part of `actual` differs from `expected`, the most significant difference first; empty if they agree. */
export function differences(history: History, actual: State, expected: State): readonly Difference[] {
  const found: Difference[] = [];
  const locks = history.reference?.locks ?? [];
  for (const [key, want] of expected) {
    if (locks.includes(want.role)) continue;
    const have = actual.get(key);
    if (have === undefined) found.push({ what: 'missing-object', ...about(want, key) });
    else compare(history, have, want, found, { actual, expected });
  }
  for (const [key, have] of actual) {
    if (expected.has(key) || locks.includes(have.role) || isHeldByOthers(history, have.object)) continue;
    found.push({ what: 'extra-object', ...about(have, key), uid: have.object.metadata.uid });
  }
  return found.length < 2 ? found : found.sort((a, b) => weight(a) - weight(b));
}

/** Returns the object of a state that a difference is about; undefined if the state lacks it. */
export function placedIn(state: State, { object }: Pick<Difference, 'object'>): Placed | undefined {
  return [...state].find(([key, one]) => about(one, key).object === object)?.[1];
}

/** Reports whether an outcome has what is actual in a difference. */
export function isAsIn(outcome: ExpectedState, difference: Difference): boolean {
  const { what, path, actual } = difference;
  const placed = placedIn(allowedState(outcome), difference);
  if (what !== 'wrong-value') return (placed === undefined) === (what === 'missing-object');
  return placed !== undefined && jsonEqual(leavesOf(placed.object).get(path) ?? null, actual ?? null);
}

/** Reports whether another client's finalizer or owner reference keeps the object, so that deleting it is no longer up to the target. */
function isHeldByOthers(history: History, { metadata }: KubeObject): boolean {
  if (metadata.finalizers === undefined && metadata.ownerReferences === undefined) return false;
  const index = indexOf(history);
  const { uid = '' } = metadata;
  return index
    .chain(uid)
    .some(
      (revision) =>
        roleOf(revision.actor) !== 'target' && index.changes(revision).some(({ path }) => HOLDS_ALIVE.test(path)),
    );
}

/** Returns the kind and name of an object, with its canonical key. */
export function about({ resource }: Placed, key: string): Pick<Difference, 'resource' | 'object' | 'path'> {
  return { resource, object: `${resource}/${key.slice(key.indexOf('/', resource.length + 1) + 1)}`, path: '' };
}

/** Returns the group of objects with generated names that are compared as one: it varies between runs which of them differs. */
export function groupOf(object: string): string {
  return object.replace(/~\d+$/, '');
}

/** Returns the sort key of a difference: whole objects before fields, spec before status, times and null last. */
function weight({ what, path, actual, expected }: Difference): number {
  if (what !== 'wrong-value') return what === 'missing-object' ? 0 : 1;
  if (isTime(actual) || isTime(expected) || (actual ?? expected ?? null) === null) return 5;
  if (path.startsWith('status')) return 4;
  return path.startsWith('metadata') ? 3 : 2;
}

/** Reports whether a value looks like a resourceVersion. */
function isVersion(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

/**
 * Reports whether both values are versions of objects, which differ between runs: by the name of the field, or because they are notes of the
 * target (an annotation or a status) that equal such versions.
 */
function areVersions(
  { revisions }: History,
  { path, from, to }: Pick<Difference, 'path'> & { readonly from: LeafChange['from']; readonly to: LeafChange['to'] },
  { actual, expected }: States,
): boolean {
  if (!isVersion(from) || !isVersion(to)) return false;
  if (/^status\..*resourceVersion|^spec\..*\.resourceVersion$/i.test(path)) return true;
  if (!/^(?:metadata\.annotations[.[]|status\.)/.test(path)) return false;
  return (
    isAmong(expected, from) &&
    (isAmong(actual, to) || revisions.some(({ object }) => object.metadata.resourceVersion === to))
  );
}

/** Reports whether a version is in the range of those in a state: the object may have changed again after it was noted. */
function isAmong(state: State, version: JsonValue | undefined): boolean {
  const versions = [...state.values()].map(({ object }) => Number(object.metadata.resourceVersion));
  return Number(version) >= Math.min(...versions) && Number(version) <= Math.max(...versions);
}

interface States {
  readonly actual: State;
  readonly expected: State;
}

function compare(history: History, have: Placed, want: Placed, found: Difference[], states: States): void {
  const changes = changesBetween(want.object, have.object);
  if (changes.length === 0) return;
  const { reference } = history;
  const uid = have.object.metadata.uid ?? '';
  const unequal = changes.filter((change) => !isSameLag(want.object, have.object, change));
  let left = unequal.filter(
    ({ path, from, to }) =>
      path !== 'metadata.name' &&
      !isVolatile(reference, have.role, path) &&
      !isPutAside(reference?.declared, have.resource, path) &&
      !(isTime(from) && isTime(to)) &&
      !areVersions(history, { path, from, to }, states),
  );
  if (left.length === 0) return;
  const [mine, theirs] = [aliases(states.actual), aliases(states.expected)];
  // First drop differences that come from naming alone, considering both sides: the owner of a leaf may be known on one side only.
  left = withoutAliased(left, mine, theirs);
  left = left.filter(({ path, to }) => isOwn(history, have.role, uid, path, to) && !isCount(history, uid, path));
  for (const { path, from, to } of left) {
    const place = placeWith({ path, to }, mine, theirs);
    found.push({ ...about(have, have.key), what: 'wrong-value', path, place, expected: from, actual: to, uid });
  }
}

function changesBetween(want: KubeObject, have: KubeObject): readonly LeafChange[] {
  const changes = diffContent(want, have);
  if (changes.length === 0) return changes;
  const logs = logsThatEndAlike(want, have);
  return logs.length === 0 ? changes : changes.filter(({ path }) => !logs.some((log) => path.startsWith(`${log}[`)));
}

/**
 * Reports whether a leaf is the target's. If the pattern matches any item of a list (owner references by uid), an existing item belongs to
 * the actor that wrote it: other writers may add their own.
 */
function isOwn(history: History, role: string, uid: string, path: string, actual: JsonValue | undefined): boolean {
  if (actual !== undefined && leafPattern(path) !== path) return isOwnWrite(history, uid, path);
  return names(history.reference?.ownedLeaves, role, path) || isOwnWrite(history, uid, path);
}

/**
 * Reports whether an annotation is a counter of changes: it increases by one at least three times, or with each write of the target from
 * the start. Such counters are not compared, because the object of a fresh copy has had fewer changes.
 */
function isCount(history: History, uid: string, path: string): boolean {
  if (!path.startsWith('metadata.annotations')) return false;
  const index = indexOf(history);
  const chain = index.chain(uid);
  const values = chain.flatMap((revision) => {
    const change = index.changes(revision).find((one) => one.path === path);
    if (change === undefined) return [];
    return [typeof change.to === 'string' && COUNT.test(change.to) ? Number(change.to) : Number.NaN];
  });
  const [first = Number.NaN] = values;
  if (values.some((value, at) => Number.isNaN(value) || value !== first + at)) return false;
  const isOfEachWrite =
    first <= 1 && values.length > 1 && chain.filter(({ actor }) => roleOf(actor) === 'target').length === values.length;
  return values.length >= COUNTED_MIN || isOfEachWrite;
}

const COUNT = /^\d+$/;
/** The fewest increasing values that identify a counter that does not change with each write: two may be a coincidence. */
const COUNTED_MIN = 3;

/** Reports whether only the target wrote a leaf in this run. Other writers' values that it carried back are judged as lost updates. */
function isOwnWrite(history: History, uid: string, path: string): boolean {
  const index = indexOf(history);
  let own = false;
  for (const revision of index.chain(uid)) {
    const change = index.changes(revision).find((one) => one.path === path);
    if (change === undefined || (change.to !== undefined && !saidIn(history, revision, path))) continue;
    if (roleOf(revision.actor) !== 'target') return false;
    own = true;
  }
  return own;
}
