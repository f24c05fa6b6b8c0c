/**
 * The clock of a run whose programs have steered clocks: it stands while everybody sleeps, passes as programs compute and requests are
 * made, and jumps to the next moment at which something happens by itself.
 *
 * Owns: what time it is, and that moment. Does not own: whether everybody sleeps, and the clocks of the programs: whoever drains a run
 * asks them, notes the soonest deadline here and sets them to what this one shows.
 */
import { Random } from './random.ts';
import { realDate } from './real-time.ts';
import type { RunClock } from './run-clock.ts';

/** Where nothing is known to come, time passes in steps of this size: others may wait for a moment of their own. */
const STEP_MS = 1_000;

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

export class SteeredClock implements RunClock {
  #originMs = realDate().getTime();
  /** Since a target that lives through several runs was started first. */
  #nowMs = 0;
  /** When this run began. */
  #runMs = 0;
  #waitedMs = 0;
  #jumps = 0;
  #timers: Timer[] = [];
  /** When a program does something by itself, as was seen when everybody slept last. */
  #deadlineMs: number | undefined;
  #inSteps = false;
  #slackMs = 0;
  /** Until when somebody is waited for who has not been heard of yet. */
  readonly #awaited = new Set<{ readonly untilMs: number }>();
  #random = new Random(0);

  reset({ random, goesOn = false }: { readonly random: Random; readonly goesOn?: boolean }): void {
    if (!goesOn) {
      this.#originMs = realDate().getTime();
      this.#nowMs = 0;
    }
    this.#runMs = this.#nowMs;
    this.#waitedMs = 0;
    this.#timers = [];
    this.#deadlineMs = undefined;
    this.#inSteps = false;
    this.#slackMs = 0;
    this.#awaited.clear();
    this.#random = random;
  }

  /** The time of day when the programs' clocks began, in ms since 1970. */
  get originMs(): number {
    return this.#originMs;
  }

  now(): number {
    return Math.floor(this.#nowMs - this.#runMs);
  }

  /** What the programs' clocks are to show, in ms since they began, to the nanosecond. */
  get exactMs(): number {
    return this.#nowMs;
  }

  /** What the random numbers of the next life depend on. */
  nextSeed(): number {
    return this.#random.next();
  }

  /** Only jumps are waits: the rest is what it takes to do things. */
  waited(): number {
    return Math.floor(this.#waitedMs);
  }

  /** How often it was set ahead. */
  get jumps(): number {
    return this.#jumps;
  }

  after(delayMs: number, _owner: string, then: () => void): () => void {
    const timer: Timer = { atMs: this.#nowMs + delayMs, call: then };
    this.#timers = [...this.#timers, timer].toSorted((a, b) => a.atMs - b.atMs);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Whether somebody is to be called back. */
  get callsBack(): boolean {
    return this.#timers.length > 0;
  }

  get expects(): boolean {
    return this.#timers.length > 0 || [...this.#awaited].some(({ untilMs }) => untilMs > this.#nowMs);
  }

  /** Somebody is waited for, up to `withinMs`; the returned function says that it has been heard of, or is gone. */
  awaiting(withinMs: number): () => void {
    const awaited = { untilMs: this.#nowMs + withinMs };
    this.#awaited.add(awaited);
    return () => this.#awaited.delete(awaited);
  }

  next(): { readonly atMs: number; readonly owner: string; readonly isGuess: boolean; readonly dueMs: number } {
    const known = this.#known();
    const isGuess = known === Infinity;
    const atMs = this.#nextMs() - this.#runMs;
    return { atMs, owner: 'wall', isGuess, dueMs: isGuess ? atMs : known - this.#runMs };
  }

  advanceToNext(): void {
    const nextMs = this.#nextMs();
    this.#jumps++;
    this.#waitedMs += nextMs - this.#nowMs;
    this.#nowMs = nextMs;
    this.#deadlineMs = undefined;
  }

  hurry(slackMs: number): void {
    this.#slackMs = slackMs;
  }

  elapse(ms: number): void {
    // What is due next is not due by then.
    if (this.#nowMs + ms < this.#known()) this.#nowMs += ms;
  }

  /** A program's clock shows so much, in ms since it began: it has computed. */
  reaches(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /**
   * Everybody sleeps.
   *
   * @param untilMs When the first of the programs wakes up by itself, in ms of its clock; `null` for never.
   * @param inSteps Whether somebody else waits for a moment that is not known here.
   */
  sleeps(untilMs: number | null, inSteps: boolean): void {
    this.#inSteps = inSteps;
    this.#deadlineMs = untilMs ?? undefined;
  }

  /** Calls back whoever waited for a moment that has come; whether there was somebody. */
  fire(): boolean {
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { call } of due) call();
    return due.length > 0;
  }

  #nextMs(): number {
    const known = this.#known();
    const soonest = this.#inSteps || known === Infinity ? Math.min(known, this.#nowMs + STEP_MS) : known;
    // Our own timers are not late: whoever set one knows why.
    const late = Math.min(this.#nowMs + this.#slackMs, this.#timers[0]?.atMs ?? Infinity);
    return Math.max(soonest, late, this.#nowMs);
  }

  #known(): number {
    return Math.min(this.#timers[0]?.atMs ?? Infinity, this.#deadlineMs ?? Infinity);
  }
}
