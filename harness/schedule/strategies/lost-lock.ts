/**
 * A lock that changes hands: a second copy of the target starts, and the first one's requests about its lock fail until the other one holds
 * it, or longer. In most runs other actors act only then. Finds leaders that go on without the lock, and two of them at work.
 */
import type { ActorId } from '../../model/actor.ts';
import { roleOf } from '../../model/actor.ts';
import { isLease } from '../../model/aside.ts';
import type { Item } from '../../model/item.ts';
import { kindOf, Orderly } from './by-kind.ts';
import type { MakeStrategy } from './strategy.ts';

/** How many writes to the lock succeed before requests begin to fail. The last of them starts the second copy. */
const BEGIN_WRITES = [1, 1, 2, 4] as const;
/**
 * How many requests about the lock fail in a row. With the pauses of client libraries (15 s of validity, a try every 2 s), the lock is lost
 * after 8, and the longest also covers the 10 s in which a leader may still be at work.
 */
const FAILURES = [9, 16, 16] as const;
/** When other actors may act: as soon as they can, once the other copy holds the lock, or once requests no longer fail. */
const ACT = ['at-once', 'once-taken', 'once-over', 'once-over'] as const;

export const lostLock: MakeStrategy = (draws) => {
  const orderly = new Orderly();
  const act = ACT[draws.int(ACT.length)] ?? 'at-once';
  const failsReads = draws.int(2) === 0;
  let begin: number = BEGIN_WRITES[draws.int(BEGIN_WRITES.length)] ?? 1;
  let failures: number = FAILURES[draws.int(FAILURES.length)] ?? 9;
  let leader: ActorId | undefined;
  let isTaken = false;
  return {
    pick: (view) => {
      const mayAct = act === 'at-once' || failures === 0 || (act === 'once-taken' && isTaken);
      return orderly.pick(view, mayAct ? view.items : orderly.withoutBeginnings(view, view.items));
    },
    fault: (item) => {
      if (!isAboutLock(item)) return undefined;
      if (item.write) leader ??= item.actor;
      if (item.write && item.actor !== leader) isTaken = true;
      if (item.actor !== leader || failures === 0) return undefined;
      if (begin > 0) {
        if (!item.write) return undefined;
        begin--;
        return begin === 0 ? { do: 'start-replica' } : undefined;
      }
      if (!item.write && !failsReads) return undefined;
      failures--;
      return { do: 'fail', status: 500 };
    },
  };
};

function isAboutLock(item: Item): boolean {
  return item.kind === 'send' && roleOf(item.actor) === 'target' && isLease(kindOf(item));
}
