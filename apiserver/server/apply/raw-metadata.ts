/**
 * Objects that change on a read-write round trip: applied metadata with empty members (`labels: {}`, `finalizers: []`, a null label) of
 * custom resources, which is never a no-op.
 *
 * A real server stores the result of an apply unchanged, but reads it through its own type of metadata, which has no empty members: so the
 * next write finds a change although nothing changed, and so does the same apply again, every time. A controller that applies such metadata
 * on every watch event triggers itself for ever.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonValue, KubeObject } from '../../objects/object.ts';

const MEMBERS = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const;

/** Reports whether the metadata of an apply's result would read differently once it is stored. */
export function isRaw(metadata: JsonValue | undefined): boolean {
  if (!isMap(metadata)) return false;
  return MEMBERS.some((key) => {
    const member = metadata[key];
    if (member === null) return true;
    if (isList(member)) return member.length === 0;
    if (!isMap(member)) return false;
    const values = Object.values(member);
    return values.length === 0 || values.includes(null);
  });
}

const stored = new WeakSet<KubeObject>();

/** Records that the metadata of a stored object is raw. */
export function rememberRaw(object: KubeObject): void {
  stored.add(object);
}

/** Reports whether writing the stored object back unchanged would change it. */
export function isStoredRaw(object: KubeObject): boolean {
  return stored.has(object);
}
