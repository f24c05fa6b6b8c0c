/**
 * The origin of a stored object: the write that created it, and the object before that write.
 *
 * Owns: the record that a commit attaches to the stored object. It is a private field that is added to the object from outside: it is not
 * copied, enumerated or compared, and it costs a tenth of a WeakMap entry, which garbage collection would visit again and again. Does not
 * own: how it is used (`ownership.ts`).
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
  /** The number of writes in the chain of origins. */
  readonly depth: number;
}

/** Adds private fields to an existing object: the constructor returns that object, so the fields of a derived class are added to it. */
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
