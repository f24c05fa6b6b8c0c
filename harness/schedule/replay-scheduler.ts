/**
 * Replays a stored schedule: the default order with its preemptions, holds and faults.
 *
 * Deterministic: a function of the views that it gets. Labels that never occur are skipped; `hit` lists those that took effect.
 */
import type { ActorId } from '../model/actor.ts';
import type { Choice, Item, Scheduler, TimerItem, View } from '../model/item.ts';
import { laterOccurrence, type Label } from '../model/label.ts';
import type { Fault, Hold, Preemption, Schedule } from '../model/schedule.ts';
import { TIME } from '../model/schedule.ts';
import { defaultItem, hasProgram, holdKey, itemOfRun } from './default-order.ts';
import type { CurrentRun } from './default-order.ts';

/** Called when a deviation takes effect. */
export type DecisionListener = (kind: 'preemption' | 'hold' | 'release', label: Label, detail: string) => void;

interface ActiveHold {
  readonly hold: Hold;
  readonly from: number;
  released: boolean;
  used: boolean;
}

/**
 * Deadlines of a program vary by milliseconds between runs, so timers that are due up to this much after the end of an advance fire too.
 */
const DUE_MS = 1_000;

/** A run requested by a preemption. */
interface ForcedRun extends CurrentRun {
  /** If the actor is time: the run time, in ms, up to which it advances; unknown before the run begins. */
  endMs?: number;
}

export class ReplayScheduler implements Scheduler {
  /** Labels of the schedule that took effect. */
  readonly hit: Set<Label> = new Set();
  readonly #preemptions: Map<string, Preemption[]>;
  readonly #holds: ActiveHold[];
  readonly #faults = new Map<Label, Fault>();
  readonly #report: DecisionListener;
  /** Runs requested by preemptions, the current one first. */
  readonly #forced: ForcedRun[] = [];
  /** The program operation in progress in the default order. */
  #current: CurrentRun | undefined;

  constructor(schedule: Schedule, report: DecisionListener = () => {}) {
    this.#report = report;
    this.#preemptions = Map.groupBy(schedule.preemptions, anchorKey);
    this.#holds = schedule.holds.map((hold) => ({
      hold,
      from: Number(hold.from.slice(1)),
      released: false,
      used: false,
    }));
    for (const fault of schedule.faults) for (const label of faultLabels(fault)) this.#faults.set(label, fault);
  }

  holding(): boolean {
    return this.#holds.some((hold) => hold.used && !hold.released);
  }

  called(items: readonly Item[]): readonly ActorId[] {
    return items.flatMap((item) => {
      const preemptions = this.#preemptions.get(`before ${item.label}`) ?? [];
      return preemptions.length === 0 || this.#holdOf(item) !== undefined ? [] : preemptions.map(({ run }) => run);
    });
  }

  next(view: View): Choice | undefined {
    if (this.#current !== undefined && view.completed.has(this.#current.actor)) this.#current = undefined;
    const [forced] = this.#forced;
    if (forced !== undefined && forced.until === undefined && view.completed.has(forced.actor)) this.#forced.shift();
    const free = this.#holds.length === 0 ? view.items : view.items.filter((item) => !this.#held(item));
    for (;;) {
      const item = this.#pick(free, view);
      if (item === undefined) return undefined;
      if (!this.#preempted(item)) return this.#take(item);
    }
  }

  #pick(free: readonly Item[], { timer, nowMs }: View): Item | undefined {
    for (let run = this.#forced[0]; run !== undefined; run = this.#forced[0]) {
      const item = run.actor === TIME ? dueIn(run, timer, nowMs) : itemOfRun(free, run);
      if (item !== undefined) return item;
      // The actor has nothing left to do.
      this.#forced.shift();
    }
    const current = this.#current === undefined ? undefined : itemOfRun(free, this.#current);
    return current ?? defaultItem(free) ?? timer;
  }

  #preempted(item: Item): boolean {
    if (this.#preemptions.size === 0) return false;
    return this.#force(`before ${item.label}`, item.label);
  }

  #force(key: string, label: Label): boolean {
    const preemptions = this.#preemptions.get(key);
    if (preemptions === undefined) return false;
    this.#preemptions.delete(key);
    this.hit.add(label);
    this.#forced.unshift(...preemptions.map(({ run, until, forMs }) => ({ actor: run, until, forMs })));
    for (const { run } of preemptions) this.#report('preemption', label, run);
    return true;
  }

  #take(item: Item): Choice {
    const [forced] = this.#forced;
    if (forced !== undefined) {
      const isOneTimer = forced.actor === TIME && forced.forMs === undefined;
      if (forced.until === undefined ? isOneTimer : item.label === forced.until) this.#forced.shift();
    } else if (item.kind !== 'timer' && hasProgram(item.actor)) {
      this.#current = { actor: item.actor };
    }
    this.#release(item.label);
    if (this.#preemptions.size > 0) this.#force(`after ${item.label}`, item.label);
    const fault = this.#faults.get(item.label);
    if (fault === undefined || (fault.do === 'stale-list' && !item.staleable)) return { item };
    this.#faults.delete(item.label);
    this.hit.add(fault.at);
    return { item, fault };
  }

  #held(item: Item): boolean {
    const active = this.#holdOf(item);
    if (active === undefined) return false;
    if (!active.used) {
      active.used = true;
      this.hit.add(active.hold.stream);
      this.#report('hold', item.label, active.hold.until);
    }
    return true;
  }

  #holdOf(item: Item): ActiveHold | undefined {
    const key = holdKey(item);
    return this.#holds.find(({ released, hold, from }) => !released && hold.stream === key && item.k >= from);
  }

  #release(label: Label): void {
    for (const active of this.#holds) {
      if (active.released || active.hold.until !== label) continue;
      active.released = true;
      if (active.used) this.#report('release', label, active.hold.stream);
    }
  }
}

/** Returns the next timer if it is due within the time of the forced run; otherwise undefined. */
function dueIn(run: ForcedRun, timer: TimerItem | undefined, nowMs: number): TimerItem | undefined {
  if (run.forMs === undefined) return timer;
  run.endMs ??= nowMs + run.forMs;
  return nowMs < run.endMs && (timer?.dueMs ?? timer?.atMs ?? 0) <= run.endMs + DUE_MS ? timer : undefined;
}

function anchorKey(preemption: Preemption): string {
  return preemption.before === undefined ? `after ${preemption.after ?? ''}` : `before ${preemption.before}`;
}

/** Returns the labels that a fault names: its own, and the next occurrences for `times` > 1. */
export function faultLabels(fault: Fault): readonly Label[] {
  const { at, times = 1 } = fault;
  return [at, ...Array.from({ length: times - 1 }, (_, index) => laterOccurrence(at, index + 1) ?? []).flat()];
}

/** Returns the labels that a schedule anchors on. */
export function anchorsOf(schedule: Schedule): readonly Label[] {
  return [
    ...schedule.preemptions.map((preemption) => preemption.before ?? preemption.after ?? ''),
    ...schedule.holds.map((hold) => hold.stream),
    ...schedule.faults.map((fault) => fault.at),
  ];
}
