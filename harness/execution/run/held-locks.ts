/**
 * Locks that lives of the target have left behind: whoever comes after has to wait until they expire, and nothing is at rest before.
 *
 * As after the death of a real leader: nobody deletes its lock. Owns: until when that may take. Does not own: what a lock is
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

/** client-go looks every 2 s, give or take a fifth, and a request takes its time. */
const LOOKS_WITHIN_MS = 3_000;

export class HeldLocks {
  readonly #held = new Map<string, HeldLock>();
  /** Whatever has been one: a ConfigMap with a leader in an annotation, for older clients. */
  readonly #known = new Set<string>();

  /** A change that the server committed. */
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

  /** Whether what an item touches is a lock. */
  includes(touches: string): boolean {
    return touches.startsWith('leases.coordination.k8s.io') || this.#known.has(touches);
  }

  /**
   * Run time until which a life may wait for a lock of one that is gone; in the past when none does.
   *
   * @param alive Who lives, and when the youngest of them was started.
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
