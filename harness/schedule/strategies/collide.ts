/**
 * Collisions: other actors act between the target's read and the write based on it. An operation that touches the same object nearly always
 * goes first; in half of the runs its change is withheld from the target for a few more writes. In most runs writers wait for such a moment
 * instead of acting as soon as they can, and often skip the first such moments: after an error, the target's next write often repairs the
 * damage, so only an error at its last write shows. Finds lost updates, blind patches, dropped errors and retries without a fresh read.
 */
import { roleOf } from '../../model/actor.ts';
import type { Item, View } from '../../model/item.ts';
import { hasProgram } from '../default-order.ts';
import { isTargetWrite, kindOf, Orderly, withoutEvents } from './by-kind.ts';
import type { MakeStrategy } from './strategy.ts';

/**
 * The chance, in percent, that an operation on the same object goes before a write of the target; OTHER_OBJECT is the chance for an
 * operation on another object.
 */
const SAME_OBJECT = 80;
const OTHER_OBJECT = 15;
/** The most writes of the target for which the change is withheld from it. */
const WITHHELD_WRITES_MAX = 4;
/** In this many of three runs, writers wait for a collision. */
const WAITING_OF_THREE = 2;
/** How many of the target's writes to the object pass before the writers act. */
const PASSED = [0, 0, 1, 2] as const;

export const collide: MakeStrategy = (draws) => {
  const orderly = new Orderly();
  const isWithheld = draws.int(2) === 0;
  const awaitsCollision = draws.int(3) < WAITING_OF_THREE;
  let passes = awaitsCollision ? (PASSED[draws.int(PASSED.length)] ?? 0) : 0;
  let hidden: { readonly kind: string; left: number } | undefined;
  /** The `seq` of writes that have been decided on; a waiting item is not decided on again. */
  const decided = new Set<number>();
  return {
    pick: (view) => {
      const write = view.items.find((item) => isTargetWrite(item) && !decided.has(item.seq));
      if (write !== undefined) {
        decided.add(write.seq);
        const other = competitor(view, write);
        const same = other !== undefined && sameObject(other, write);
        if (same && passes > 0) passes--;
        else if (other !== undefined && draws.int(100) < (same ? SAME_OBJECT : OTHER_OBJECT)) {
          orderly.run(other.actor);
          if (isWithheld) hidden = { kind: kindOf(other), left: 1 + draws.int(WITHHELD_WRITES_MAX) };
        }
      }
      const free = withoutEvents(view, hidden?.kind);
      const item = orderly.pick(view, awaitsCollision ? orderly.withoutBeginnings(view, free) : free);
      if (hidden !== undefined && isTargetWrite(item) && --hidden.left <= 0) hidden = undefined;
      return item;
    },
  };
};

/**
 * Returns the next item of an actor whose operation touches the same object, else of any actor. The user comes last, since a changed spec
 * triggers the target anyway.
 */
function competitor({ items }: View, write: Item): Item | undefined {
  const others = items.filter((item) => hasProgram(item.actor));
  const same = others.filter((item) => sameObject(item, write));
  return same.find(({ actor }) => roleOf(actor) !== 'user') ?? same[0] ?? others[0];
}

function sameObject(a: Item, b: Item): boolean {
  return a.touches !== '' && a.touches === b.touches;
}
