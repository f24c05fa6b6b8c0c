/**
 * Locks held by ended incarnations of the target: the next incarnation waits until they expire, and only then can the run come to
 * rest.
 *
 * As after the death of a real leader, no process deletes such a lock. Owns: how long the wait may take. Does not own: what a lock is
 * (`oracle/leadership.ts`).
 */
import type { ActorId } from '../../model/actor.ts';
import { roleOf } from '../../model/actor.ts';
import type { Revision } from '../../model/history.ts';
import { leaseSeconds, lockHolder } from '../../oracle/leadership.ts';

interface HeldLock {
  readonly actor: ActorId;
  readonly durationMs: number;
  readonly renewedMs: number;
}

/** The longest time in ms between two attempts to take a lock: client-go retries every 2 s ± 20 %, plus the duration of a request. */
const LOOKS_WITHIN_MS = 3_000;

export class HeldLocks {
  readonly #held = new Map<string, HeldLock>();
  /** Every object that has been a lock, including a ConfigMap with a leader annotation, as older clients use. */
  readonly #known = new Set<string>();

  /** Records a change that the server committed. */
  committed({ actor, type, resource, namespace, name, object, timeMs }: Revision): void {
    const holder = lockHolder(object);
    if (holder === undefined) return;
    const lock = `${resource}/${namespace}/${name}`;
    this.#known.add(lock);
    if (holder === '' || type === 'DELETED') this.#held.delete(lock);
    else if (roleOf(actor) === 'target')
      this.#held.set(lock, { actor, durationMs: leaseSeconds(object) * 1000, renewedMs: timeMs });
  }

  get isAny(): boolean {
    return this.#known.size > 0;
  }

  /** Reports whether the object that an item touches is a lock. */
  includes(touches: string): boolean {
    return touches.startsWith('leases.coordination.k8s.io') || this.#known.has(touches);
  }

  /**
   * Returns the run time until which a live incarnation may have to wait for a lock of an ended incarnation; in the past if none waits.
   *
   * @param alive The live incarnations, and when the youngest was started.
   */
  expireByMs(alive: { has(actor: ActorId): boolean; readonly size: number; readonly launchedMs: number }): number {
    let until = Number.NEGATIVE_INFINITY;
    if (alive.size === 0) return until;
    for (const { actor, durationMs, renewedMs } of this.#held.values()) {
      if (alive.has(actor)) continue;
      until = Math.max(until, Math.max(renewedMs, alive.launchedMs) + durationMs + LOOKS_WITHIN_MS);
    }
    return until;
  }
}
