/**
 * Objects of a history, stored once and referenced by key.
 *
 * In memory two records of one revision share one object; in a file they share a key: the revision (`101`), with a suffix if one revision
 * has several representations (`101.2`: a Scale, a list's metadata). Reading restores the sharing.
 */
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { HarnessError } from '../../model/errors.ts';

export type ObjectKey = string;

export class ObjectTableWriter {
  readonly #keys = new Map<object, ObjectKey>();
  readonly #table: Map<ObjectKey, KubeObject>;

  /** @param known - Objects that already have keys. */
  constructor(known: { readonly [key: ObjectKey]: KubeObject } = {}) {
    this.#table = new Map(Object.entries(known));
  }

  /** Returns the key of an object; it is a new key if no equal object of the same revision is stored yet. */
  keyOf(object: KubeObject): ObjectKey {
    const known = this.#keys.get(object);
    if (known !== undefined) return known;
    const revision = object.metadata?.resourceVersion ?? '0';
    let key = revision;
    for (let n = 2; ; n++) {
      const stored = this.#table.get(key);
      if (stored === undefined) {
        this.#table.set(key, object);
        break;
      }
      if (jsonEqual(stored, object)) break;
      key = `${revision}.${n}`;
    }
    this.#keys.set(object, key);
    return key;
  }

  /** Returns the table, with keys in the order of first use; JSON readers sort integer keys in ascending order anyway. */
  table(): { [key: ObjectKey]: KubeObject } {
    return Object.fromEntries(this.#table);
  }
}

/** Resolves a key, or reports which record refers to an object that the file does not contain. */
export function objectAt(
  table: { readonly [key: ObjectKey]: JsonObject },
  key: ObjectKey,
  place: string,
  source: string,
): KubeObject {
  const object = Object.hasOwn(table, key) ? table[key] : undefined;
  if (object === undefined) {
    throw new HarnessError(
      'FORMAT_INVALID',
      `"${source}" is not a valid history: at ${place}: expected a key of "objects", found ${JSON.stringify(key)}; ` +
        'copy the file again from where it was written',
      { details: { source, place } },
    );
  }
  return object as KubeObject;
}
