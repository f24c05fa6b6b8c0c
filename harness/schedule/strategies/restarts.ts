/**
 * Strategies for harmful restarts: the target crashes when only the first of two related writes is done; the new incarnation starts from an
 * old state; or it starts to work while one of its caches is still empty.
 *
 * Owns: where the target crashes and what its next incarnation is shown. The strategies need the fault `crash`; if it is switched off,
 * only the default order remains. The gate decides which lists may legally be stale: only those with `resourceVersion=0`.
 */
import { roleOf } from '../../model/actor.ts';
import { answersChange, type Item } from '../../model/item.ts';
import { hasProgram } from '../default-order.ts';
import { isTargetWrite, kindOf, Orderly, watchedKind, withoutEvents } from './by-kind.ts';
import type { MakeStrategy } from './strategy.ts';

/** The write at which the target crashes: mostly one of the first few. */
const WRITES = [0, 0, 1, 1, 2, 2, 3, 4, 6] as const;

/** Crashes between two writes of one burst: before a write is sent, or after the server has committed it. */
export const intermediateState: MakeStrategy = (draws) => {
  const at = WRITES[draws.int(WRITES.length)] ?? 0;
  const afterwards = draws.int(2) === 0;
  // Other actors may act while the target is down.
  const othersFirst = draws.int(3) === 0;
  const orderly = new Orderly();
  let writes = 0;
  let crashed = false;
  return {
    pick: (view) => {
      const other = crashed && othersFirst ? view.items.find((item) => hasProgram(item.actor)) : undefined;
      if (other !== undefined) orderly.run(other.actor);
      return orderly.pick(view, view.items);
    },
    fault: (item) => {
      if (crashed) return undefined;
      const here = afterwards ? isWriteAnswer(item) : isTargetWrite(item);
      if (!here || writes++ < at) return undefined;
      crashed = true;
      return { do: 'crash' };
    },
  };
};

/** How many revisions the lists of a new incarnation may be behind, and for how many writes its watches of one kind are held. */
const BEHIND_MAX = 8;
const SILENT_WRITES_MAX = 6;

/** Restarts the target with a stale first list of one kind, where that is legal, and with a lagging watch of that kind. */
export const staleState: MakeStrategy = (draws, hints) => {
  const kindIn = watchedKind(draws, hints);
  const at = WRITES[draws.int(WRITES.length)] ?? 0;
  const behind = 1 + draws.int(BEHIND_MAX);
  let silent = 1 + draws.int(SILENT_WRITES_MAX);
  const orderly = new Orderly();
  let kind: string | undefined;
  let writes = 0;
  let crashed = false;
  return {
    pick: (view) => {
      kind = kindIn(view);
      const item = orderly.pick(view, crashed && silent > 0 ? withoutEvents(view, kind) : view.items);
      if (isTargetWrite(item) && crashed) silent--;
      return item;
    },
    fault: (item) => {
      if (!crashed) {
        if (!isTargetWrite(item) || writes++ < at) return undefined;
        crashed = true;
        return { do: 'crash' };
      }
      return item.staleable && kindOf(item) === kind ? { do: 'stale-list', behind } : undefined;
    },
  };
};

/**
 * Restarts the target, and holds its first list of one kind for as long as anything else can happen. Finds controllers that do not wait for
 * all their caches.
 */
export const lateList: MakeStrategy = (draws, hints) => {
  const kindIn = watchedKind(draws, hints);
  const at = WRITES[draws.int(WRITES.length)] ?? 0;
  const orderly = new Orderly();
  let kind: string | undefined;
  let writes = 0;
  let crashed = false;
  let isListed = false;
  return {
    pick: (view) => {
      kind = kindIn(view);
      const others = crashed && !isListed ? view.items.filter((item) => !isList(item)) : view.items;
      const item = orderly.pick(view, others.length > 0 ? others : view.items);
      isListed ||= crashed && isList(item);
      return item;
    },
    fault: (item) => {
      if (crashed || !isWriteAnswer(item) || writes++ < at) return undefined;
      crashed = true;
      return { do: 'crash' };
    },
  };

  function isList(item: Item): boolean {
    return item.kind === 'send' && item.verb === 'list' && roleOf(item.actor) === 'target' && kindOf(item) === kind;
  }
};

function isWriteAnswer(item: Item): boolean {
  return answersChange(item) && roleOf(item.actor) === 'target';
}
