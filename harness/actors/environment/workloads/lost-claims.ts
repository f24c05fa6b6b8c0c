/**
 * The volume claims that are gone or being deleted, and the pods that wait for them: a scheduler does not bind such a pod.
 *
 * Only claims that a controller made are waited for: it makes them again, also in a fresh copy of the run's final state. A sample need not
 * have the claims that its pods name, and a copy does not know of those that were deleted. Start at {@link LostClaims.reasonToWait}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { ObservedChange } from '../../../gate/recorder.ts';
import { claimsOf } from '../claims-of.ts';
import { keyOf } from './view.ts';

export class LostClaims {
  readonly #lost = new Map<string, 'is being deleted' | 'not found'>();
  /** The uids of the claims that a controller has made. */
  readonly #made = new Set<string>();

  /**
   * Learns of a change of a claim, and reports whether pods may have to wait for it now, or no longer.
   *
   * @param isByController - Whether a controller has made this change.
   */
  learn({ type, namespace, name, uid, object }: ObservedChange, isByController: boolean): boolean {
    const key = keyOf(namespace, name);
    const before = this.#lost.get(key);
    if (type === 'ADDED' && isByController) this.#made.add(uid);
    if (type !== 'DELETED' && object.metadata.deletionTimestamp === undefined) this.#lost.delete(key);
    else if (this.#made.has(uid)) this.#lost.set(key, type === 'DELETED' ? 'not found' : 'is being deleted');
    return this.#lost.get(key) !== before;
  }

  /** Returns why a pod that has no node yet cannot be bound, in the words of the scheduler; undefined if no lost claim prevents it. */
  reasonToWait(pod: KubeObject): string | undefined {
    const { namespace = '' } = pod.metadata;
    if (this.#lost.size === 0) return undefined;
    const { named, ephemeral } = claimsOf(pod);
    const name = [...named, ...ephemeral].find((claim) => this.#lost.has(keyOf(namespace, claim)));
    return name === undefined
      ? undefined
      : `persistentvolumeclaim ${JSON.stringify(name)} ${this.#lost.get(keyOf(namespace, name))}`;
  }
}
