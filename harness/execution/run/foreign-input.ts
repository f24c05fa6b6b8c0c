/**
 * What a fresh copy of the target begins with: the state at the end of a run as users and third parties would have left it.
 *
 * Owns: which objects and fields of that state are the target's own and are left out, and what takes the place of a user's value that the
 * target has written over. Does not own: the run that starts from it (`prober.ts`).
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
import { roleOfRevision } from '../../oracle/reference.ts';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * The final state without what the target made or owns, as a user and third parties would have left it: all that a fresh run has to
 * begin with, the environment's own included. Of a kind that the target defines itself there can be nothing before it.
 */
export function foreignInput(history: History, reference: Reference): readonly KubeObject[] {
  const creators = new Map<string, string>();
  for (const revision of history.revisions) if (revision.type === 'ADDED') creators.set(revision.uid, revision.actor);
  const left = finalRevisions(history);
  const definedByTarget = new Set(
    left
      .filter(({ resource, uid }) => resource === CRDS && roleOf(creators.get(uid) ?? '') === 'target')
      .map(({ name }) => name),
  );
  return left.flatMap((revision) => {
    if (definedByTarget.has(revision.resource)) return [];
    const creator = creators.get(revision.uid) ?? '';
    // What the environment makes of the target's own, it makes of a fresh target's too.
    if (roleOf(creator) === 'target' || creator === WORKLOADS) return [];
    const left = withoutOwn(history, revision, reference);
    return isGoneBut(left) ? [] : [left];
  });
}

/**
 * Whether an object is being deleted and nothing but the target's own finalizer has kept it: without that it would be gone, and a server
 * that is given it like this keeps it for ever.
 */
function isGoneBut({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

function withoutOwn(history: History, revision: Revision, reference: Reference): KubeObject {
  const role = roleOfRevision(history, revision);
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
   * What only the target has ever set in this run, though the references gave it no reason to: that a handler has failed, say, and
   * when it is to be called again. A fresh copy that found such notes would wait as they say.
   */
  readonly notes: ReadonlySet<string>;
  /** What a user or the object's creator has set, with the version in which anyone but the target last set it; without one where it was removed again. */
  readonly users: ReadonlyMap<string, KubeObject | undefined>;
}

function writersOf(history: History, { uid }: Revision): Writers {
  const notes = new Set<string>();
  const others = new Set<string>();
  const users = new Map<string, KubeObject | undefined>();
  for (const version of history.revisions) {
    if (version.uid !== uid || version.type === 'DELETED') continue;
    const writer = roleOf(version.actor);
    for (const { path, to } of diffContent(version.before, version.object)) {
      if (writer === 'target') notes.add(path);
      else others.add(path);
      // Who creates an object says what it is to be, as a user does: another writer may delete it and create it again.
      const says = writer === 'user' || version.type === 'ADDED' || users.has(path);
      if (writer !== 'target' && says) users.set(path, to === undefined ? undefined : version.object);
    }
  }
  return { notes: new Set([...notes].filter((path) => !others.has(path))), users };
}

/**
 * Puts the user's values back where the target has written its own form of them: a quantity as the server spells it, a default for an
 * empty value, a field under its new name. To a fresh copy they are input, and left out it would make something else.
 *
 * @param written The patterns of what the target writes or removes when nothing disturbs it.
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

interface Place {
  readonly leaf: string;
  readonly path: FieldPath;
  readonly value: JsonValue;
  /** `path` is a list, and `value` one of its items. */
  readonly isItem: boolean;
}

/** A leaf as a path that can be set, with the value there. Of a list of maps without names it is the whole list. */
function placeOf(object: KubeObject, leaf: string): Place | undefined {
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
