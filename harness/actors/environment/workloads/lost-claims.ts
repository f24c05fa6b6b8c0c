/**
 * The volume claims that are gone or being deleted, and the pods that wait for them: a scheduler does not bind such a pod.
 *
 * A claim that never existed is not waited for: a sample need not have it. Start at {@link LostClaims.reasonToWait}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ObservedChange } from '../../../gate/recorder.ts';
import { claimsOf } from '../claims-of.ts';
import { keyOf, mapAt } from './view.ts';

export class LostClaims {
  readonly #lost = new Map<string, 'is being deleted' | 'not found'>();

  /** Learns of a change of a claim, and reports whether pods may have to wait for it now, or no longer. */
  learn({ type, namespace, name, object }: ObservedChange): boolean {
    const key = keyOf(namespace, name);
    const before = this.#lost.get(key);
    if (type === 'DELETED') this.#lost.set(key, 'not found');
    else if (object.metadata.deletionTimestamp !== undefined) this.#lost.set(key, 'is being deleted');
    else this.#lost.delete(key);
    return this.#lost.get(key) !== before;
  }

  /** Returns why a pod cannot be bound, in the words of the scheduler; undefined if no lost claim prevents it. */
  reasonToWait(pod: KubeObject): string | undefined {
    const { namespace = '', deletionTimestamp } = pod.metadata;
    if (this.#lost.size === 0 || deletionTimestamp !== undefined) return undefined;
    if (mapAt(pod, 'spec')['nodeName'] !== undefined) return undefined;
    const { named, ephemeral } = claimsOf(pod);
    const name = [...named, ...ephemeral].find((claim) => this.#lost.has(keyOf(namespace, claim)));
    return name === undefined
      ? undefined
      : `persistentvolumeclaim ${JSON.stringify(name)} ${this.#lost.get(keyOf(namespace, name))}`;
  }
}
