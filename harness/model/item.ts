/**
 * Items: what waits at the gate, and how a scheduler chooses among them.
 *
 * One item is one thing that can happen next: a request reaching the server, an answer or a watch event reaching its actor, the
 * earliest timer firing. The gate makes them, a scheduler picks one, the trial executes it.
 */
import type { ActorId } from './actor.ts';
import type { Label } from './label.ts';
import type { FaultAction } from './schedule.ts';

export type ItemKind = 'send' | 'answer' | 'event' | 'timer';

export interface Item {
  /** Order of arrival at the gate, unique. */
  readonly seq: number;
  readonly kind: ItemKind;
  readonly actor: ActorId;
  readonly label: Label;
  /** Stream label for events, empty otherwise. */
  readonly stream: Label;
  /** Number of the event in its stream; 0 for other kinds. */
  readonly k: number;
  /**
   * What it touches: `pods/default/a`, `pods/default/` for a collection, `pods//` for one of all namespaces. Empty for timers, and for
   * answers, with which nobody can race any more.
   */
  readonly touches: string;
  /** Whether it is about a write. */
  readonly write: boolean;
  /** `get`, `create`, …; `act` for what may change something beside the API server; `event` and `timer` for the others. */
  readonly verb: string;
  /** Revision of the event; 0 for other kinds. */
  readonly revision: number;
  /** For a list with resourceVersion=0: it may legally be answered from the past. */
  readonly staleable: boolean;
}

const CHANGING: ReadonlySet<string> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection', 'act']);

/** Whether it is the answer to a request that may have changed something. */
export function answersChange({ kind, verb }: Item): boolean {
  return kind === 'answer' && CHANGING.has(verb);
}

/** The earliest timer. */
export interface TimerItem extends Item {
  /** Run time at which it fires. */
  readonly atMs: number;
  /** When it is due, if it may be late. */
  readonly dueMs?: number;
}

/** The scheduler's decision. */
export interface Choice {
  readonly item: Item;
  readonly fault?: FaultAction;
}

/** What a scheduler sees before each decision. */
export interface View {
  /** Everything that can happen now, in order of arrival; never empty unless `timer` is there. */
  readonly items: readonly Item[];
  /** The earliest timer, if any. */
  readonly timer: TimerItem | undefined;
  /** Run time. */
  readonly nowMs: number;
  /** Items executed since contention began. */
  readonly step: number;
  /** Whether `actor`'s current program operation has completed since the last decision. */
  readonly completed: ReadonlySet<ActorId>;
}

/** Decides what happens next. A scheduler is used for one run and must be deterministic. */
export interface Scheduler {
  /** The next thing to happen; undefined when it prefers to wait (nothing but held items left). */
  next(view: View): Choice | undefined;
  /** Whether anything is still being held back on purpose. */
  holding(): boolean;
}

/** Whether two items do not commute: they touch the same object, or one a collection that holds the other, and one is a write. */
export function conflicts(a: Item, b: Item): boolean {
  if (a.touches === '' || b.touches === '' || (!a.write && !b.write)) return false;
  return a.touches === b.touches || covers(a.touches, b.touches) || covers(b.touches, a.touches);
}

function covers(collection: string, object: string): boolean {
  const whole = collection.endsWith('//') ? collection.slice(0, -1) : collection;
  return whole.endsWith('/') && object.startsWith(whole);
}
