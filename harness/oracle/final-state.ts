/**
 * Comparing the state at rest with what a fresh target makes of the same foreign input.
 *
 * Owns: matching objects across two runs (by owner, role and order, not by name) and which leaves of them count: the target's own,
 * without what varies by nature, generations renumbered. Start at {@link differences}.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import { objectKey, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import { OUTSIDE } from '../model/outside.ts';
import { isAside } from '../model/aside.ts';
import { roleOf, WORKLOADS } from '../model/actor.ts';
import { finalRevisions, type History, type Revision } from '../model/history.ts';
import { diffContent, leafPattern } from '../model/leaf.ts';
import type { LeafChange } from '../model/leaf.ts';
import type { ExpectedState, ProbeResult } from '../model/probe.ts';
import { isPutAside } from '../model/waiver.ts';
import { indexOf, isVolatile, names } from './history-index.ts';
import { saidIn } from './sent-leaves.ts';

/** An object at its place: the canonical key, with the order among its kind for generated names. */
interface Placed {
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
  /** Empty for whole objects. */
  readonly path: string;
  readonly expected?: JsonValue | undefined;
  readonly actual?: JsonValue | undefined;
  /** Of the object that is there. */
  readonly uid?: string | undefined;
}

/** Records of what happened, and locks: how many there are says nothing about convergence. What is kept outside has a claim of its own. */
function isUncompared(resource: string): boolean {
  return isAside(resource) || resource === OUTSIDE;
}

/**
 * ReplicaSets and Pods of a Deployment, which its controller makes, are named by a hash of the template: that of the Deployment is compared,
 * without what is drawn at random in it.
 */
function isOfRollout({ metadata }: KubeObject): boolean {
  return metadata.labels?.['pod-template-hash'] !== undefined;
}

/** What keeps an object from being collected. */
const HOLDS_ALIVE = /^metadata\.(finalizers|ownerReferences)\[/;

/** The state at the end of a history. */
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
 * The last version of every object that is still there, in order of first appearance; without what the environment keeps for itself,
 * a node or a volume: it stays once it was needed, also when it no longer is.
 */
export function restingRevisions(history: History): readonly Revision[] {
  const surroundings = new Set(history.revisions.filter(isSurroundings).map(({ uid }) => uid));
  return finalRevisions(history).filter(({ uid }) => !surroundings.has(uid));
}

/** Made by the environment, and owned by no object. */
function isSurroundings({ type, actor, object }: Revision): boolean {
  return type === 'ADDED' && actor === WORKLOADS && (object.metadata.ownerReferences ?? []).length === 0;
}

/**
 * The state that a probe brought back as a list of objects, of the kinds that occur in the history, or only in what a fresh target makes:
 * the first of a kind may have come after the history had ended.
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

function kindText({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion} ${kind}`;
}

function resourceOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'));
}

const outcomes = new WeakMap<ExpectedState, State>();

/** The state that an `expected-state` probe allows. */
function allowedState(outcome: ExpectedState): State {
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

/** Generated names count by their order: `~2` and `~5` of one run are `~0` and `~1` of another. */
function place(entries: readonly Omit<Placed, 'role'>[]): State {
  const state = new Map<string, Placed>();
  let generated: Map<string, { readonly n: number; readonly entry: Omit<Placed, 'role'> }[]> | undefined;
  for (const entry of entries) {
    const { key, resource, object } = entry;
    if (isUncompared(resource) || isOfRollout(object)) continue;
    const tilde = key.lastIndexOf('~');
    if (tilde < 0) {
      state.set(key, { ...entry, role: roleOfKey(key, resource) });
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
      state.set(key, { ...entry, key, role: roleOfKey(stem, entry.resource) });
    }
  }
  return state;
}

function roleOfKey(key: string, resource: string): string {
  return `${resource}:${key.slice(key.indexOf('/', resource.length + 1) + 1)}`;
}

/** Where a state differs from the nearest of the allowed ones. Empty when it is one of them, or when none is known. */
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
 * Where fresh targets that were given the same input differ among themselves: what is there is drawn at random. As
 * {@link placeOf} names it.
 */
export function drawnPlaces([first, ...others]: readonly ExpectedState[]): ReadonlySet<string> {
  const places = new Set<string>();
  if (first === undefined) return places;
  const one = allowedState(first);
  for (const outcome of others) {
    const other = allowedState(outcome);
    const [mine, theirs] = [aliases(one), aliases(other)];
    for (const [key, have] of new Map([...one, ...other])) {
      const [a, b] = [one.get(key), other.get(key)];
      if (a === undefined || b === undefined) places.add(placeOf(about(have, key)));
      else
        for (const { path } of withoutAliased(diffContent(b.object, a.object), mine, theirs))
          places.add(placeOf({ ...about(have, key), path }));
    }
  }
  return places;
}

/** An object, and the field of it where only that is meant. */
export function placeOf({ object, path }: Pick<Difference, 'object' | 'path'>): string {
  return `${object} ${leafPattern(path)}`;
}

/** Where the target's own part of `actual` is not what `expected` says, the weightiest first. Empty when they agree. */
export function differences(history: History, actual: State, expected: State): readonly Difference[] {
  const found: Difference[] = [];
  const locks = history.reference?.locks ?? [];
  for (const [key, want] of expected) {
    if (locks.includes(want.role)) continue;
    const have = actual.get(key);
    if (have === undefined) found.push({ what: 'missing-object', ...about(want, key) });
    else
      compare(
        history,
        have,
        want,
        found,
        () => aliases(actual),
        () => aliases(expected),
      );
  }
  for (const [key, have] of actual) {
    if (expected.has(key) || locks.includes(have.role) || isHeldByOthers(history, have.object)) continue;
    found.push({ what: 'extra-object', ...about(have, key), uid: have.object.metadata.uid });
  }
  return found.length < 2 ? found : found.sort((a, b) => weight(a) - weight(b));
}

/** A foreign finalizer or owner reference keeps it, and took it out of what the target made: it is theirs to end. */
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

function about({ resource }: Placed, key: string): Pick<Difference, 'resource' | 'object' | 'path'> {
  return { resource, object: `${resource}/${key.slice(key.indexOf('/', resource.length + 1) + 1)}`, path: '' };
}

/** Whole objects before fields, what was asked for before what is reported. */
function weight({ what, path }: Difference): number {
  if (what !== 'wrong-value') return what === 'missing-object' ? 0 : 1;
  if (path.startsWith('status')) return 4;
  return path.startsWith('metadata') ? 3 : 2;
}

type Aliases = ReadonlyMap<string, string>;

/** What identifies objects in one run only, and its equivalent in any run. */
function aliases(state: State): Aliases {
  const out = new Map<string, string>();
  for (const [key, { object }] of state) {
    const { uid, name } = object.metadata;
    if (uid !== undefined) out.set(uid, `uid of ${key}`);
    if (name !== undefined && key.includes('~')) out.set(name, `name of ${key}`);
  }
  return out;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function compare(
  history: History,
  have: Placed,
  want: Placed,
  found: Difference[],
  haveAliases: () => Aliases,
  wantAliases: () => Aliases,
): void {
  const changes = diffContent(want.object, have.object);
  if (changes.length === 0) return;
  const { reference } = history;
  const uid = have.object.metadata.uid ?? '';
  let left = changes.filter(
    ({ path, from, to }) =>
      path !== 'metadata.name' &&
      !isVolatile(reference, have.role, path) &&
      !isPutAside(reference?.declared, have.resource, path) &&
      !(isTime(from) && isTime(to)) &&
      !(path.endsWith('observedGeneration') && lag(want.object, from) === lag(have.object, to)),
  );
  // First what two runs only call by other names, both sides of it: whose a leaf is may be known of one side alone.
  if (left.length > 0) left = withoutAliased(left, haveAliases(), wantAliases());
  left = left.filter(({ path, to }) => isOwn(history, have.role, uid, path, to) && !isCount(history, uid, path));
  for (const { path, from, to } of left) {
    found.push({ ...about(have, have.key), what: 'wrong-value', path, expected: from, actual: to, uid });
  }
}

/**
 * Whether a leaf is the target's. Where the pattern matches any item of a list (owner references by uid), an item that is there
 * belongs to its writer: other writers may add theirs.
 */
function isOwn(history: History, role: string, uid: string, path: string, actual: JsonValue | undefined): boolean {
  if (actual !== undefined && leafPattern(path) !== path) return isOwnWrite(history, uid, path);
  return names(history.reference?.ownedLeaves, role, path) || isOwnWrite(history, uid, path);
}

/** Whether an annotation counts changes: a fresh object has had fewer of them. */
function isCount(history: History, uid: string, path: string): boolean {
  if (!path.startsWith('metadata.annotations')) return false;
  const index = indexOf(history);
  const values = index.chain(uid).flatMap((revision) => {
    const change = index.changes(revision).find((one) => one.path === path);
    if (change === undefined) return [];
    return [typeof change.to === 'string' && COUNT.test(change.to) ? Number(change.to) : Number.NaN];
  });
  return values.length >= COUNTED_MIN && values.every((value, at) => at === 0 || value === (values[at - 1] ?? 0) + 1);
}

const COUNT = /^\d+$/;
/** Two values that follow each other may be an accident. */
const COUNTED_MIN = 3;

/** Whether only the target wrote a leaf in this run. What it carried back of other writers' is judged as a lost update. */
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

/** Generations count edits, which a fresh object has had fewer of: what matters is how far behind the report is. */
function lag(object: KubeObject, observed: JsonValue | undefined): number | undefined {
  return typeof observed === 'number' ? (object.metadata.generation ?? 0) - observed : undefined;
}

function isTime(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && TIME.test(value);
}

/** Drops differences that are only the other run's uid or generated name, in values and in paths. */
function withoutAliased(changes: readonly LeafChange[], have: Aliases, want: Aliases): LeafChange[] {
  const expected = new Map<string, JsonValue | undefined>();
  for (const { path, from } of changes) if (from !== undefined) expected.set(rename(path, want), renamed(from, want));
  const actual = new Map<string, JsonValue | undefined>();
  for (const { path, to } of changes) if (to !== undefined) actual.set(rename(path, have), renamed(to, have));
  return changes.filter(({ path, from, to }) => {
    const key = rename(path, to === undefined ? want : have);
    const other = from === undefined ? expected.get(key) : renamed(from, want);
    const mine = to === undefined ? actual.get(key) : renamed(to, have);
    return !jsonEqual(mine, other);
  });
}

function renamed(value: JsonValue, by: Aliases): JsonValue {
  return typeof value === 'string' ? (by.get(value) ?? value) : value;
}

function rename(path: string, by: Aliases): string {
  if (!path.includes('[')) return path;
  let out = path;
  for (const [from, to] of by) if (out.includes(from)) out = out.replaceAll(from, to);
  return out;
}
