/**
 * Names that a target uses in several namespaces, as an operator does that copies a Secret from one namespace into another.
 *
 * In a history, such an object is called `namespace/name`: otherwise, the user's source and the target's copies would count as one object
 * wherever objects of different runs are compared by name. Labels keep the plain name, since they contain the namespace anyway.
 */
import { roleOf } from '../model/actor.ts';
import type { History } from '../model/history.ts';

/** Returns `resource/name` for each name that occurs in several namespaces of an undisturbed run, if the target has written one of them. */
export function sharedNamesIn(histories: readonly History[]): readonly string[] {
  const shared = new Set<string>();
  for (const { revisions, names } of histories) {
    const places = new Map<string, { readonly namespaces: Set<string>; written: boolean }>();
    for (const { resource, namespace, name, uid, actor } of revisions) {
      // Generated names differ anyway.
      if (namespace === '' || (names[uid] ?? name) !== name) continue;
      const key = `${resource}/${name}`;
      const known = places.get(key) ?? { namespaces: new Set(), written: false };
      known.namespaces.add(namespace);
      known.written ||= roleOf(actor) === 'target';
      places.set(key, known);
    }
    for (const [key, { namespaces, written }] of places) if (written && namespaces.size > 1) shared.add(key);
  }
  return [...shared].toSorted();
}
