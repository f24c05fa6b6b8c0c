/**
 * Items: what waits at the gate and what a scheduler chooses from.
 *
 * An item is one thing that can happen next: a request reaching the server, an answer or a watch event reaching its actor, or the earliest
 * timer firing. The gate creates items, a scheduler picks one, the trial executes it.
 */
import type { ActorId } from './actor.ts';
import type { Label } from './label.ts';
import type { FaultAction } from './schedule.ts';

export type ItemKind = 'send' | 'answer' | 'event' | 'timer';

export interface Item {
  /** A unique number that increases in order of arrival at the gate. */
  readonly seq: number;
  readonly kind: ItemKind;
  readonly actor: ActorId;
  readonly label: Label;
  /** The stream's label for events, else empty. */
  readonly stream: Label;
  /** Number of the event in its stream; 0 for other kinds. */
  readonly k: number;
  /**
   * The object or collection that the item touches: `pods/default/a`, `pods/default/` for a collection, `pods//` for one of all namespaces.
   * Empty for timers and for answers, which can no longer race with anything.
   */
  readonly touches: string;
  /** True if the item belongs to a write. */
  readonly write: boolean;
  /** `get`, `create`, …; `act` for a request that may have effects outside the API server; `event` or `timer` for other items. */
  readonly verb: string;
  /** The revision of the event; 0 for other kinds. */
  readonly revision: number;
  /** True for a list with resourceVersion=0, which may legally return an old state. */
  readonly staleable: boolean;
}

const CHANGING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'act']);

/** Reports whether the item is the answer to a request that may have changed state. */
export function answersChange({ kind, verb }: Item): boolean {
  return kind === 'answer' && CHANGING.has(verb);
}

/** The earliest timer. */
export interface TimerItem extends Item {
  /** The run time at which it fires. */
  readonly atMs: number;
  /** The run time at which it is due, if it may fire late. */
  readonly dueMs?: number;
}

/** The scheduler's decision. */
export interface Choice {
  readonly item: Item;
  readonly fault?: FaultAction;
}

/** What a scheduler sees before each decision. */
export interface View {
  /** Everything that can happen now, in order of arrival; empty only if there is a `timer`. */
  readonly items: readonly Item[];
  /** The earliest timer, if any. */
  readonly timer: TimerItem | undefined;
  /** The run time in ms. */
  readonly nowMs: number;
  /** Items executed since contention began. */
  readonly step: number;
  /** The actors whose current program operation has completed since the last decision. */
  readonly completed: ReadonlySet<ActorId>;
}

/** Decides what happens next. A scheduler is used for one run and must be deterministic. */
export interface Scheduler {
  /** Returns the next item; undefined to wait (only held items are left). */
  next(view: View): Choice | undefined;
  /** Reports whether any item is still held back on purpose. */
  holding(): boolean;
  /** Returns the actors that have to act before one of the pending items; those that wait with their next operation must begin it. */
  called?(items: readonly Item[]): readonly ActorId[];
}

/**
 * Reports whether two items do not commute: both touch the same object (or one touches a collection that contains it), and at least one is
 * a write.
 */
export function conflicts(a: Item, b: Item): boolean {
  if (a.touches === '' || b.touches === '' || (!a.write && !b.write)) return false;
  return a.touches === b.touches || covers(a.touches, b.touches) || covers(b.touches, a.touches);
}

function covers(collection: string, object: string): boolean {
  const whole = collection.endsWith('//') ? collection.slice(0, -1) : collection;
  return whole.endsWith('/') && object.startsWith(whole);
}
