/**
 * The workload controllers' view: the objects of the kinds that they manage, and their owners.
 *
 * Owns: an exact copy of the stored objects, fed with committed changes. Because it is exact, no controller here needs expectations: a
 * created object is in the view before the answer arrives.
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import { controllerOf, type JsonObject, type JsonValue, type KubeObject } from 'stalemate-apiserver/objects/object';
import type { ObservedChange } from '../../../gate/recorder.ts';

const NOBODY: ReadonlyMap<string, KubeObject> = new Map();

export class View {
  readonly #byResource = new Map<string, Map<string, KubeObject>>();
  /** For the uid of each controlling owner: the objects that it controls, by uid. */
  readonly #controlled = new Map<string, Map<string, KubeObject>>();

  learn({ type, resource, namespace, name, uid, object }: ObservedChange): void {
    const key = keyOf(namespace, name);
    let objects = this.#byResource.get(resource);
    if (objects === undefined) this.#byResource.set(resource, (objects = new Map<string, KubeObject>()));
    const before = objects.get(key);
    const was = before === undefined ? undefined : controllerOf(before)?.uid;
    if (was !== undefined) this.#controlled.get(was)?.delete(uid);
    if (type === 'DELETED') {
      objects.delete(key);
      return;
    }
    objects.set(key, object);
    const owner = controllerOf(object)?.uid;
    if (owner === undefined) return;
    const siblings = this.#controlled.get(owner);
    if (siblings === undefined) this.#controlled.set(owner, new Map([[uid, object]]));
    else siblings.set(uid, object);
  }

  get(resource: string, key: string): KubeObject | undefined {
    return this.#byResource.get(resource)?.get(key);
  }

  all(resource: string): readonly KubeObject[] {
    return [...(this.#byResource.get(resource) ?? NOBODY).values()];
  }

  in(resource: string, namespace: string): readonly KubeObject[] {
    return this.all(resource).filter((object) => object.metadata.namespace === namespace);
  }

  /** Returns the objects of a kind that `owner` controls, oldest first, then by name. */
  controlledBy(owner: KubeObject, kind: string): readonly KubeObject[] {
    const own = this.#controlled.get(owner.metadata.uid ?? '') ?? NOBODY;
    return [...own.values()].filter((object) => object.kind === kind).toSorted(byAge);
  }
}

export function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [x = '', y = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (x !== y) return x < y ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** Returns the map at a path, or an empty one. */
export function mapAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  let value: JsonValue | undefined = object;
  for (const key of path) value = isMap(value) ? value[key] : undefined;
  return isMap(value) ? value : {};
}

export function numberAt(object: JsonObject, otherwise: number, ...path: readonly string[]): number {
  const last = path.at(-1) ?? '';
  const value = mapAt(object, ...path.slice(0, -1))[last];
  return typeof value === 'number' ? value : otherwise;
}
