/**
 * Computes the input of a fresh copy of the target: the state at the end of a run as users and third parties would have left it.
 *
 * Owns: which objects and fields of that state belong to the target and are left out, and what replaces a user's value that the target has
 * overwritten. Does not own: the run that starts from it (`prober.ts`).
 */
import { isMap, jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import { roleOf, WORKLOADS } from '../../model/actor.ts';
import { appendItem, setAt } from '../../model/edit.ts';
import { finalRevisions, type History, type Revision } from '../../model/history.ts';
import {
  diffContent,
  isServerLeaf,
  itemKey,
  itemNames,
  keySegment,
  leafPattern,
  leavesOf,
  withoutLeaves,
} from '../../model/leaf.ts';
import type { Reference } from '../../model/reference.ts';
import type { FieldPath } from '../../model/workload.ts';
import { isUnder } from '../../oracle/base-content.ts';
import { indexOf, roleOfObject } from '../../oracle/history-index.ts';
import { saidIn } from '../../oracle/sent-leaves.ts';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Returns the objects that a fresh copy starts with: the final state without what the target created or owns, and without what the
 * environment derived from the target's objects. Leaves out resources whose CRD the target installs: none of their objects can exist before
 * the CRD.
 */
export function foreignInput(history: History, reference: Reference): readonly KubeObject[] {
  return inputOf(history, reference, new Set());
}

/**
 * Returns the input without the objects that another client made in the place of one that the target had made. They belong to the input,
 * but what the target did for its own object, it need not do for a replacement that is there from the start.
 */
export function inputWithoutReplacements(history: History, reference: Reference): readonly KubeObject[] {
  const index = indexOf(history);
  const replacements = history.revisions.filter(
    (revision) => revision.type === 'ADDED' && roleOf(revision.actor) !== 'target' && index.hasMade(revision),
  );
  return inputOf(history, reference, new Set(replacements.map(({ uid }) => uid)));
}

function inputOf(history: History, reference: Reference, excluded: ReadonlySet<string>): readonly KubeObject[] {
  const creators = new Map<string, string>();
  for (const revision of history.revisions) if (revision.type === 'ADDED') creators.set(revision.uid, revision.actor);
  const left = finalRevisions(history);
  const definedByTarget = new Set(
    left
      .filter(({ resource, uid }) => resource === CRDS && roleOf(creators.get(uid) ?? '') === 'target')
      .map(({ name }) => name),
  );
  return left.flatMap((revision) => {
    if (definedByTarget.has(revision.resource) || excluded.has(revision.uid)) return [];
    const creator = creators.get(revision.uid) ?? '';
    // The environment's workload controllers derive their objects from the target's, and will do so again for the fresh copy.
    if (roleOf(creator) === 'target' || creator === WORKLOADS) return [];
    const left = withoutOwn(history, revision, reference);
    return isGoneBut(left) ? [] : [left];
  });
}

/**
 * Reports whether an object is being deleted and only the target's own finalizer has kept it. Without that finalizer it would be gone. A
 * fresh copy must not start with it: on a new server, an object created with a deletion timestamp would stay forever. A namespace that
 * still has finalizers in its spec is not gone: the objects in it could not exist without it.
 */
function isGoneBut({ metadata, spec }: KubeObject): boolean {
  const inSpec = isMap(spec) ? spec['finalizers'] : undefined;
  const isEmptied = !Array.isArray(inSpec) || inSpec.length === 0;
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0 && isEmptied;
}

function withoutOwn(history: History, revision: Revision, reference: Reference): KubeObject {
  const role = roleOfObject(history, revision);
  const owned = new Set(reference.ownedLeaves[role] ?? []);
  const { notes, users } = writersOf(history, revision);
  if (owned.size === 0 && notes.size === 0 && reference.removedLeaves[role] === undefined) return revision.object;
  const written = new Set([...owned, ...(reference.removedLeaves[role] ?? [])]);
  const restored = restore(revision.object, users, written);
  return withoutLeaves(restored.object, (path) => {
    if (isServerLeaf(path) || restored.places.some((place) => isUnder(path, place))) return false;
    return owned.has(leafPattern(path)) || notes.has(path);
  });
}

interface Writers {
  /**
   * Paths that only the target has set or removed in this run: for example, a note that a handler failed and when to retry it. The target
   * need not have set them in the references. A fresh copy that read such notes would act on them and wait.
   */
  readonly notes: ReadonlySet<string>;
  /**
   * Paths that a user or the object's creator has set, each with the last version in which a writer other than the target set it; undefined
   * if that writer removed it.
   */
  readonly users: ReadonlyMap<string, KubeObject | undefined>;
}

function writersOf(history: History, { uid }: Revision): Writers {
  const notes = new Set<string>();
  const foreign = new Set<string>();
  const users = new Map<string, KubeObject | undefined>();
  for (const version of history.revisions) {
    if (version.uid !== uid || version.type === 'DELETED') continue;
    const writer = roleOf(version.actor);
    for (const { path, to } of diffContent(version.before, version.object)) {
      if (writer !== 'target') foreign.add(path);
      else if (to === undefined || saidIn(history, version, path)) notes.add(path);
      // The values of an object's creator count like a user's: the creator may be another writer that deleted and recreated the object.
      const says = writer === 'user' || version.type === 'ADDED' || users.has(path);
      if (writer !== 'target' && says) users.set(path, to === undefined ? undefined : version.object);
    }
  }
  return { notes: new Set([...notes].filter((path) => !foreign.has(path))), users };
}

/**
 * Restores the user's values where the target has replaced them with its own form: a quantity in canonical form, a default for an empty
 * value, a field under its new name. These values are input for a fresh copy: it would produce a different result without them.
 *
 * @param written The patterns of the fields that the target writes or removes when undisturbed.
 */
function restore(
  object: KubeObject,
  users: Writers['users'],
  written: ReadonlySet<string>,
): { readonly object: KubeObject; readonly places: readonly string[] } {
  let restored = object;
  const places: string[] = [];
  for (const [path, version] of users) {
    if (version === undefined || !written.has(leafPattern(path)) || places.some((place) => isUnder(path, place)))
      continue;
    const place = placeOf(version, path);
    if (place === undefined) continue;
    places.push(place.leaf);
    if (place.isItem) restored = appendItem(restored, place.path, place.value);
    else if (!jsonEqual(leavesOf(object).get(path), place.value)) restored = setAt(restored, place.path, place.value);
  }
  return { object: restored, places };
}

interface FieldAt {
  readonly leaf: string;
  readonly path: FieldPath;
  readonly value: JsonValue;
  /** Whether `path` is a list and `value` one of its items. */
  readonly isItem: boolean;
}

/**
 * Returns a leaf as a path that can be set, with its value. For a leaf in a list of maps without keys, path and value are those of the
 * whole list.
 */
function placeOf(object: KubeObject, leaf: string): FieldAt | undefined {
  let value: JsonValue = object;
  let here = '';
  const path: FieldPath[number][] = [];
  while (here !== leaf) {
    if (isMap(value)) {
      const map: { readonly [key: string]: JsonValue | undefined } = value;
      const key = Object.keys(map).find((name) => isUnder(leaf, here === '' ? name : here + keySegment(name)));
      const next = key === undefined ? undefined : map[key];
      if (key === undefined || next === undefined) return undefined;
      here = here === '' ? key : here + keySegment(key);
      path.push(key);
      value = next;
      continue;
    }
    if (!Array.isArray(value)) return undefined;
    const list = value as readonly JsonValue[];
    const names = itemNames(list);
    const at = names.findIndex((name) => isUnder(leaf, here + name));
    const item = list[at];
    if (item === undefined) return undefined;
    if (item === null || typeof item !== 'object') return { leaf, path, value: item, isItem: true };
    const key = itemKey(list);
    const id = key === undefined || !isMap(item) ? undefined : item[key];
    if (key === undefined || typeof id !== 'string') break;
    here += names[at] ?? '';
    path.push({ [key]: id });
    value = item;
  }
  return { leaf: here, path, value, isItem: false };
}
