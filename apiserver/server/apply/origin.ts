/**
 * How a stored object came to be: who made it out of what.
 *
 * Owns: the note that a commit leaves on the stored object. It is a private field put onto the object from outside: no copy carries it
 * along, nothing that lists or compares fields sees it, and it costs a tenth of an entry in a WeakMap, which garbage collection would
 * have to look at again and again. Does not own: what becomes of it (`ownership.ts`).
 */
import type { KubeObject } from '../../objects/object.ts';
import type { Call } from '../call.ts';
import type { Managed } from './managed.ts';

export interface Origin {
  readonly before: KubeObject | undefined;
  /** Absent for the server's own changes, which nobody owns. */
  readonly call: Call | undefined;
  /** When the call came. */
  readonly time: string;
  /** The owners after this write, where they are known; what was before counts no more. */
  readonly managed: Managed | undefined;
  /** How many writes lead here. */
  readonly depth: number;
}

/** A constructor may answer another object than its own; the private fields of a derived class are then put onto that one. */
// oxlint-disable-next-line no-extraneous-class -- what its constructor answers is all there is to it
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

/** Notes how a stored object came to be; the latest note counts. */
export function noteOrigin(stored: KubeObject, origin: Origin): void {
  Noted.note(stored, origin);
}

export function originOf(stored: KubeObject): Origin | undefined {
  return Noted.of(stored);
}
