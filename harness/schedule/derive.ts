/**
 * Expresses a searched run as deviations from the default order.
 *
 * Wraps the searching scheduler: passes its choices on unchanged and, beside them, keeps the default order's opinion. Where the two
 * part, it notes a hold (an event that waits) or a preemption (another actor acts first). Replaying the result makes the same
 * choices, by construction. Owns nothing of the search itself.
 */
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

/** Timers of the wall's clock. */
const WALL = 'wall/';

export class DerivingScheduler implements Scheduler {
  readonly #inner: Scheduler;
  readonly #preemptions: Preemption[] = [];
  readonly #holds: Hold[] = [];
  readonly #faults: Fault[] = [];
  readonly #open = new Map<Label, OpenHold>();
  readonly #anchors = new Set<Label>();
  #current: CurrentRun | undefined;
  /** What happened last, waiting on the wall's clock apart: how often that was done says nothing to another run. */
  #last: Label | undefined;
  /** It was waited since. */
  #waited = false;
  /** The newest item that was pending at the step before. */
  #newest = -1;
  /** The default order's choice that the last preemption went before, while nothing else has happened since. */
  #waiting: Label | undefined;

  constructor(inner: Scheduler) {
    this.#inner = inner;
  }

  holding(): boolean {
    return this.#inner.holding();
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

  /** The schedule so far; streams still held wait until the heal phase. */
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
      // An event that waits is staleness; a request that waits while its own actor goes on is a delay. Both are holds.
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

  /** A hold keeps its item back from the beginning: too late once a preemption has been anchored on it. */
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
      // Deadlines are not the same ones again: what counts is how long has been waited.
      this.#preemptions[this.#preemptions.length - 1] = { ...previous, forMs: previous.forMs + jumpMs(view) };
      return;
    }
    if (before !== undefined && before === this.#waiting && previous?.run === run && run !== TIME) {
      // The same actor goes on: one longer run, if that run would make the same choice.
      const free = view.items.filter((item) => !this.#open.has(holdKey(item)));
      // A run takes the item it ends with as soon as that is pending, so that item must be new.
      if (chosen.seq > this.#newest && itemOfRun(free, { actor: run })?.seq === chosen.seq) {
        this.#preemptions[this.#preemptions.length - 1] = { ...previous, until: chosen.label };
        return;
      }
    }
    // A label fires its preemptions all at once, so one that was anchored on before cannot serve again later.
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

/** A hold keeps back all events of its stream from one on; one that was delayed was let go before. */
function isStaleness({ kind, label }: Item): boolean {
  return kind === 'event' && !label.endsWith(LATE);
}

/** How far the earliest timer is ahead. */
function jumpMs({ timer, nowMs }: View): number {
  return Math.max(1, Math.ceil((timer?.atMs ?? nowMs) - nowMs));
}
