/**
 * Objects that change on a read-write round trip: custom resources whose applied metadata has a null label or empty members (`labels: {}`,
 * `finalizers: []`). Writing them is never a no-op.
 *
 * A real server stores the result of an apply unchanged, but reads it through its own type of metadata, which drops empty members. So the
 * next write finds a change although the client changed nothing, and so does every repetition of the apply. A controller that applies such
 * metadata on every watch event triggers itself for ever.
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
