/**
 * Expresses a searched run as deviations from the default order.
 *
 * Wraps the searching scheduler: passes its choices on unchanged and compares them with the default order's. Where they differ, it records
 * a hold (an event that waits) or a preemption (another actor acts first). Replaying the result makes the same choices, by construction.
 * Does not own the search itself.
 */
import type { ActorId } from '../model/actor.ts';
import type { Choice, Item, Scheduler, View } from '../model/item.ts';
import { LATE, type Label } from '../model/label.ts';
import type { Fault, Hold, Preemption, Schedule } from '../model/schedule.ts';
import { TIME } from '../model/schedule.ts';
import { defaultItem, hasProgram, holdKey, itemOfRun } from './default-order.ts';
import type { CurrentRun } from './default-order.ts';

interface OpenHold {
  readonly stream: Label;
  readonly from: string;
}

/** The label prefix of real-time timers. */
const WALL = 'wall/';

export class DerivingScheduler implements Scheduler {
  readonly #inner: Scheduler;
  readonly #preemptions: Preemption[] = [];
  readonly #holds: Hold[] = [];
  readonly #faults: Fault[] = [];
  readonly #open = new Map<Label, OpenHold>();
  readonly #anchors = new Set<Label>();
  #current: CurrentRun | undefined;
  /** The label of the last item that happened, except for real-time waits, whose number means nothing in another run. */
  #last: Label | undefined;
  /** True if real time has passed since that item happened. */
  #waited = false;
  /** The newest pending item at the previous step. */
  #newest = -1;
  /** The default order's choice that the last preemption delayed, as long as nothing else has happened since. */
  #waiting: Label | undefined;

  constructor(inner: Scheduler) {
    this.#inner = inner;
  }

  holding(): boolean {
    return this.#inner.holding();
  }

  called(items: readonly Item[]): readonly ActorId[] {
    return this.#inner.called?.(items) ?? [];
  }

  next(view: View): Choice | undefined {
    const choice = this.#inner.next(view);
    if (choice === undefined) return undefined;
    if (this.#current !== undefined && view.completed.has(this.#current.actor)) this.#current = undefined;
    this.#compare(view, choice.item);
    for (const item of view.items) if (item.seq > this.#newest) this.#newest = item.seq;
    this.#waited = choice.item.kind === 'timer' && choice.item.label.startsWith(WALL);
    if (!this.#waited) this.#last = choice.item.label;
    if (choice.fault !== undefined) this.#faults.push({ ...choice.fault, at: choice.item.label });
    return choice;
  }

  /** Returns the schedule so far; streams that are still held wait until the heal phase. */
  schedule(): Schedule {
    const open = [...this.#open.values()].map(({ stream, from }): Hold => ({ stream, from, until: 'heal' }));
    return {
      version: 1,
      default: 'run-to-completion',
      preemptions: this.#preemptions,
      holds: [...this.#holds, ...open],
      faults: this.#faults,
    };
  }

  #compare(view: View, chosen: Item): void {
    this.#closeHold(chosen);
    for (;;) {
      const expected = this.#expected(view);
      if (expected?.seq === chosen.seq && expected.kind === chosen.kind) {
        if (chosen.kind !== 'timer' && hasProgram(chosen.actor)) this.#current = { actor: chosen.actor };
        this.#waiting = undefined;
        return;
      }
      // An event that waits is staleness; a request that waits while its own actor continues is a delay. Both are holds.
      if (expected !== undefined && (isStaleness(expected) || this.#isDelay(expected, chosen))) {
        this.#open.set(holdKey(expected), { stream: holdKey(expected), from: `@${expected.k}` });
        continue;
      }
      this.#preempt(expected, chosen, view);
      return;
    }
  }

  #expected(view: View): Item | undefined {
    const free = this.#open.size === 0 ? view.items : view.items.filter((item) => !this.#open.has(holdKey(item)));
    const own = this.#current === undefined ? undefined : itemOfRun(free, this.#current);
    return own ?? defaultItem(free) ?? view.timer;
  }

  /**
   * Reports whether an expected item is delayed. A hold affects its item from the beginning, so an item that is already the anchor of a
   * preemption cannot be held.
   */
  #isDelay(expected: Item, chosen: Item): boolean {
    const isRequest = expected.kind === 'send' || expected.kind === 'answer';
    return (
      isRequest && chosen.kind !== 'timer' && expected.actor === chosen.actor && !this.#anchors.has(expected.label)
    );
  }

  #closeHold(chosen: Item): void {
    const hold = this.#open.get(holdKey(chosen));
    if (hold === undefined) return;
    this.#open.delete(hold.stream);
    this.#holds.push({ stream: hold.stream, from: hold.from, until: this.#waited ? 'heal' : (this.#last ?? 'heal') });
  }

  #preempt(expected: Item | undefined, chosen: Item, view: View): void {
    const run = chosen.kind === 'timer' ? TIME : chosen.actor;
    const before = expected?.label;
    const previous = this.#preemptions.at(-1);
    const until = chosen.label.startsWith(WALL) ? { forMs: jumpMs(view) } : { until: chosen.label };
    if (
      this.#waited &&
      before !== undefined &&
      before === this.#waiting &&
      previous?.forMs !== undefined &&
      run === TIME
    ) {
      // Deadlines differ between runs, so the total time waited is recorded.
      this.#preemptions[this.#preemptions.length - 1] = { ...previous, forMs: previous.forMs + jumpMs(view) };
      return;
    }
    if (before !== undefined && before === this.#waiting && previous?.run === run && run !== TIME) {
      // If the same actor continues, extend its run, provided that the longer run would make the same choice.
      const free = view.items.filter((item) => !this.#open.has(holdKey(item)));
      // A run ends with its last item as soon as that item is pending, so only an item that has just arrived can extend the run.
      if (chosen.seq > this.#newest && itemOfRun(free, { actor: run })?.seq === chosen.seq) {
        this.#preemptions[this.#preemptions.length - 1] = { ...previous, until: chosen.label };
        return;
      }
    }
    // All preemptions of a label fire at once, so a label that was an anchor before cannot be used again later.
    const chained = before === this.#waiting && previous?.before === before;
    if (before !== undefined && (chained || !this.#anchors.has(before))) {
      this.#anchors.add(before);
      this.#preemptions.push({ before, run, ...until });
    } else if (this.#last !== undefined) {
      this.#preemptions.push({ after: this.#last, run, ...until });
    }
    this.#waiting = before;
  }
}

/**
 * Reports whether holding an item makes the actor's state stale, as for watch events. A hold affects all events of its stream from its
 * first event on, so an event that was delayed and has left its stream does not count.
 */
function isStaleness({ kind, label }: Item): boolean {
  return kind === 'event' && !label.endsWith(LATE);
}

/** Returns the time until the earliest timer, in ms. */
function jumpMs({ timer, nowMs }: View): number {
  return Math.max(1, Math.ceil((timer?.atMs ?? nowMs) - nowMs));
}
