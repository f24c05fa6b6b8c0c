/**
 * The origin of a stored object: which write made it from which object.
 *
 * Owns: the record that a commit attaches to the stored object. It is a private field added from outside: copies do not carry it,
 * enumeration and comparison do not see it, and it costs a tenth of a WeakMap entry, which garbage collection would visit again and again.
 * Does not own: how it is used (`ownership.ts`).
 */
import type { KubeObject } from '../../objects/object.ts';
import type { Call } from '../call.ts';
import type { Managed } from './managed.ts';

export interface Origin {
  readonly before: KubeObject | undefined;
  /** Absent for the server's own changes, which have no owner. */
  readonly call: Call | undefined;
  /** The time of the call. */
  readonly time: string;
  /** The owners after this write, where known; earlier writes no longer count. */
  readonly managed: Managed | undefined;
  /** The length of the chain. */
  readonly depth: number;
}

/** A constructor may return another object; the private fields of a derived class are then added to that one. */
// oxlint-disable-next-line no-extraneous-class -- it exists for what its constructor returns
class Given {
  constructor(object: object) {
    return object;
  }
}

class Noted extends Given {
  #origin: Origin;

  constructor(object: object, origin: Origin) {
    super(object);
    this.#origin = origin;
  }

  static of(object: object): Origin | undefined {
    return #origin in object ? object.#origin : undefined;
  }

  static note(object: object, origin: Origin): void {
    if (#origin in object) object.#origin = origin;
    else void new Noted(object, origin);
  }
}

/** Records the origin of a stored object; the latest record wins. */
export function noteOrigin(stored: KubeObject, origin: Origin): void {
  Noted.note(stored, origin);
}

export function originOf(stored: KubeObject): Origin | undefined {
  return Noted.of(stored);
}
