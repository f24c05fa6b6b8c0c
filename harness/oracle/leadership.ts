/**
 * Determines when each incarnation was alive, and when it held a lock.
 *
 * Owns: deriving both from a history, by behaviour: a lock is an object with a holder and a renew time, whatever its name. Does not own:
 * what a replica may do without the lock (`properties/one-active-leader.ts`).
 */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ActorId } from '../model/actor.ts';
import { programOf, roleOf } from '../model/actor.ts';
import type { History, Revision } from '../model/history.ts';
import { indexOf } from './history-index.ts';

/** The lifetime of one incarnation of the target, in ticks. */
export interface Life {
  readonly actor: ActorId;
  readonly from: number;
  /** Infinity if it is alive at the end. */
  readonly until: number;
}

/** A period during which one actor held a lock. */
export interface Tenure {
  readonly actor: ActorId;
  /** `leases.coordination.k8s.io/leader`. */
  readonly lock: string;
  readonly from: number;
  /** Infinity if it lasts until the end. `by` is the actor that took the lock over; absent if it was released or is still held. */
  readonly until: { readonly at: number; readonly timeMs: number; readonly revision: number; readonly by?: ActorId };
  /**
   * How long a holder that cannot renew may keep acting after another actor has taken the lock: the renew deadline, as client libraries set
   * it.
   */
  readonly deadlineMs: number;
}

/** As in client-go, where a lease of 15 s has to be renewed within 10 s. */
const DEADLINE_SHARE = 2 / 3;
const LEASE_SECONDS = 15;

/** Returns the lifetimes of the target's incarnations, in order of their first request. */
export function livesOf({ operations, processes }: History): readonly Life[] {
  const from = new Map<ActorId, number>();
  for (const { actor, invoked } of operations) {
    if (roleOf(actor) === 'target' && !from.has(actor)) from.set(actor, invoked.at);
  }
  return [...from].map(([actor, first]) => {
    const end = processes.find(
      ({ actor: other, kind }) => other === actor && (kind === 'crashed' || kind === 'exited' || kind === 'stopped'),
    );
    return { actor, from: first, until: end?.at ?? Number.POSITIVE_INFINITY };
  });
}

/** Reports whether two different incarnations of one program were alive at the same time. */
export function overlap(one: Life, other: Life): boolean {
  if (one.actor === other.actor || programOf(one.actor) !== programOf(other.actor)) return false;
  return one.from < other.until && other.from < one.until;
}

/** Returns all tenures of the target's incarnations, sorted by lock and time. */
export function tenuresOf(history: History): readonly Tenure[] {
  const out: Tenure[] = [];
  for (const chain of indexOf(history).chains()) {
    let open: { actor: ActorId; holder: string; from: Revision } | undefined;
    const close = (end: Revision | undefined, by: ActorId | undefined): void => {
      if (open === undefined) return;
      const { actor, from } = open;
      out.push({
        actor,
        lock: `${from.resource}/${from.name}`,
        from: from.at,
        until:
          end === undefined
            ? { at: Number.POSITIVE_INFINITY, timeMs: Number.POSITIVE_INFINITY, revision: 0 }
            : { at: end.at, timeMs: end.timeMs, revision: end.revision, ...(by === undefined ? {} : { by }) },
        deadlineMs: leaseSeconds(from.object) * 1000 * DEADLINE_SHARE,
      });
      open = undefined;
    };
    for (const revision of chain) {
      const holder = revision.type === 'DELETED' ? '' : lockHolder(revision.object);
      if (holder === undefined || holder === open?.holder) continue;
      const taken = holder !== '' && roleOf(revision.actor) === 'target';
      close(revision, taken ? revision.actor : undefined);
      if (taken) open = { actor: revision.actor, holder, from: revision };
    }
    close(undefined, undefined);
  }
  return out;
}

/** Returns the holder of a lock; empty if the lock is free, undefined if the object is not a lock. */
export function lockHolder(object: KubeObject): string | undefined {
  const spec = lockSpec(object);
  if (spec === undefined || !('renewTime' in spec)) return undefined;
  const holder = spec['holderIdentity'];
  return typeof holder === 'string' ? holder : '';
}

/** Returns how long a lock is valid without renewal, in seconds. */
export function leaseSeconds(object: KubeObject): number {
  const seconds = lockSpec(object)?.['leaseDurationSeconds'];
  return typeof seconds === 'number' ? seconds : LEASE_SECONDS;
}

/** Returns a Lease's spec, or the record that older clients keep in an annotation. */
function lockSpec(object: KubeObject): JsonObject | undefined {
  const { spec } = object;
  if (isMap(spec) && 'renewTime' in spec) return spec;
  const record = object.metadata.annotations?.['control-plane.alpha.kubernetes.io/leader'];
  if (record === undefined) return undefined;
  try {
    const parsed = JSON.parse(record) as JsonValue;
    return isMap(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
