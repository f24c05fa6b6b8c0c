/**
 * Completes owner references among objects that are created one after the other: the server assigns an owner's uid only when it creates
 * the owner.
 */
import { isMap, mapOf, textOf } from 'stalemate-apiserver/objects/json';
import type { JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';

/** The uid in a reference to an owner that is created together with its dependent. */
export const UID_TO_COME = '';

export class OwnerUids {
  readonly #uids = new Map<string, string>();

  /** Learns the uid of a created object from the server's answer. */
  learn({ apiVersion, kind, metadata }: KubeObject, answer: JsonValue | undefined): void {
    const uid = isMap(answer) ? textOf(mapOf(answer['metadata'])['uid']) : '';
    if (uid !== '') this.#uids.set(keyOf(apiVersion, kind, metadata.namespace, metadata.name), uid);
  }

  /** Returns the object with the uids of its owners; references to owners that were not created are left out. */
  completed(object: KubeObject): KubeObject {
    const { ownerReferences } = object.metadata;
    if (ownerReferences?.some(({ uid }) => uid === UID_TO_COME) !== true) return object;
    const known = ownerReferences.flatMap((reference) => {
      if (reference.uid !== UID_TO_COME) return [reference];
      const uid = this.#uids.get(
        keyOf(reference.apiVersion, reference.kind, object.metadata.namespace, reference.name),
      );
      return uid === undefined ? [] : [{ ...reference, uid }];
    });
    return { ...object, metadata: { ...object.metadata, ownerReferences: known } };
  }
}

function keyOf(apiVersion: string, kind: string, namespace = '', name = ''): string {
  return `${apiVersion}/${kind}/${namespace}/${name}`;
}
