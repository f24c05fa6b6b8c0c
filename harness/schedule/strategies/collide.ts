/**
 * Collisions: others act in the moment between what the target has read and what it is about to write. Where an operation of theirs
 * touches the same object it nearly always goes first; what it changes is, in half of the runs, kept from the target for a few writes
 * more. In most runs they wait for that moment, instead of acting when they can, and often let earlier ones pass: what an error leaves
 * undone is done by the next write, so that only the last one shows it. Finds lost updates, blind patches, dropped errors and
 * retries without a fresh read.
 */
import { roleOf } from '../../model/actor.ts';
import type { Item, View } from '../../model/item.ts';
import { hasProgram } from '../default-order.ts';
import { isTargetWrite, kindOf, Orderly, withoutEvents } from './by-kind.ts';
import type { MakeStrategy } from './strategy.ts';

/** Chance that an operation on the same object goes before a write of the target, and one on another object, in percent. */
const SAME_OBJECT = 80;
const OTHER_OBJECT = 15;
/** Writes of the target for which it is kept in the dark about what happened. */
const DARK_WRITES_MAX = 4;
/** Of three runs, so many have writers that wait for their moment. */
const AMBUSH_OF_THREE = 2;
/** Writes to the object that they let pass. */
const PASSED = [0, 0, 1, 2] as const;

export const collide: MakeStrategy = (draws) => {
  const orderly = new Orderly();
  const dark = draws.int(2) === 0;
  const inAmbush = draws.int(3) < AMBUSH_OF_THREE;
  let passes = inAmbush ? (PASSED[draws.int(PASSED.length)] ?? 0) : 0;
  let hidden: { readonly kind: string; left: number } | undefined;
  /** Writes that have been decided upon: what waits is not asked about again and again. */
  const decided = new Set<number>();
  return {
    pick: (view) => {
      const write = view.items.find((item) => isTargetWrite(item) && !decided.has(item.seq));
      if (write !== undefined) {
        decided.add(write.seq);
        const other = rival(view, write);
        const same = other !== undefined && sameObject(other, write);
        if (same && passes > 0) passes--;
        else if (other !== undefined && draws.int(100) < (same ? SAME_OBJECT : OTHER_OBJECT)) {
          orderly.run(other.actor);
          if (dark) hidden = { kind: kindOf(other), left: 1 + draws.int(DARK_WRITES_MAX) };
        }
      }
      const free = withoutEvents(view, hidden?.kind);
      const item = orderly.pick(view, inAmbush ? orderly.withoutBeginnings(view, free) : free);
      if (hidden !== undefined && isTargetWrite(item) && --hidden.left <= 0) hidden = undefined;
      return item;
    },
  };
};

/** An actor whose next operation is about the same object, else any. What a user wants new wakes the target anyway: last. */
function rival({ items }: View, write: Item): Item | undefined {
  const others = items.filter((item) => hasProgram(item.actor));
  const same = others.filter((item) => sameObject(item, write));
  return same.find(({ actor }) => roleOf(actor) !== 'user') ?? same[0] ?? others[0];
}

function sameObject(a: Item, b: Item): boolean {
  return a.touches !== '' && a.touches === b.touches;
}
