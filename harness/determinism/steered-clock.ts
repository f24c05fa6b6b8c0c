/**
 * The clock of a run whose programs have steered clocks: it stops while all programs sleep, advances as programs compute and requests are
 * made, and jumps to the next moment at which something happens by itself.
 *
 * Owns: the current time and the next such moment. Does not own: the programs' clocks, and whether all programs sleep; the drain queries
 * the programs, records their earliest deadline here and sets their clocks to this one.
 */
import { Random } from './random.ts';
import { realDate } from './real-time.ts';
import type { RunClock } from './run-clock.ts';

/** The step by which time advances if no deadline is known: something outside the programs may be waiting for a time unknown here. */
const STEP_MS = 1_000;

interface Timer {
  readonly atMs: number;
  readonly call: () => void;
}

export class SteeredClock implements RunClock {
  #originMs = realDate().getTime();
  /** The current time, in ms since the run began. */
  #nowMs = 0;
  #waitedMs = 0;
  #jumps = 0;
  #timers: Timer[] = [];
  /** When the first program will do something by itself, as recorded the last time all of them slept. */
  #deadlineMs: number | undefined;
  #inSteps = false;
  #slackMs = 0;
  /** Deadlines for programs or servers that are expected to act and have not done so yet. */
  readonly #awaited = new Set<{ readonly untilMs: number }>();
  #random = new Random(0);

  reset({ random }: { readonly random: Random }): void {
    this.#originMs = realDate().getTime();
    this.#nowMs = 0;
    this.#waitedMs = 0;
    this.#timers = [];
    this.#deadlineMs = undefined;
    this.#inSteps = false;
    this.#slackMs = 0;
    this.#awaited.clear();
    this.#random = random;
  }

  /** The wall-clock time at which the programs' clocks started, in ms since 1970. */
  get originMs(): number {
    return this.#originMs;
  }

  now(): number {
    return Math.floor(this.#nowMs);
  }

  /** The time to set the programs' clocks to, in ms since they started, with nanosecond precision. */
  get exactMs(): number {
    return this.#nowMs;
  }

  /** Returns the seed of the next incarnation's random numbers. */
  nextSeed(): number {
    return this.#random.next();
  }

  /** Returns how many ms the clock has jumped over; all other time was spent on work. */
  waited(): number {
    return Math.floor(this.#waitedMs);
  }

  /** The number of times the clock has jumped ahead. */
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

  /** Whether a callback is pending. */
  get callsBack(): boolean {
    return this.#timers.length > 0;
  }

  get expects(): boolean {
    return this.#timers.length > 0 || [...this.#awaited].some(({ untilMs }) => untilMs > this.#nowMs);
  }

  /** Registers that something is expected to act within `withinMs`. Call the returned function when it has acted or ended. */
  awaiting(withinMs: number): () => void {
    const awaited = { untilMs: this.#nowMs + withinMs };
    this.#awaited.add(awaited);
    return () => this.#awaited.delete(awaited);
  }

  next(): { readonly atMs: number; readonly owner: string; readonly isGuess: boolean; readonly dueMs: number } {
    const known = this.#known();
    const isGuess = known === Infinity;
    const atMs = this.#nextMs();
    return { atMs, owner: 'wall', isGuess, dueMs: isGuess ? atMs : known };
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
    // Never passes a known deadline: elapsed time alone must not make the next timer due.
    if (this.#nowMs + ms < this.#known()) this.#nowMs += ms;
  }

  /** Advances to the clock of a program that has computed, in ms since the programs' clocks started. */
  reaches(atMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, atMs);
  }

  /**
   * Records that all programs sleep.
   *
   * @param untilMs When the first program wakes up by itself, in ms of its clock; `null` for never.
   * @param inSteps Whether something outside the programs may be waiting for a time unknown here, so that time advances in steps.
   */
  sleeps(untilMs: number | null, inSteps: boolean): void {
    this.#inSteps = inSteps;
    this.#deadlineMs = untilMs ?? undefined;
  }

  /** Runs the callbacks that are due. Reports whether there were any. */
  fire(): boolean {
    const due = this.#timers.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#timers = this.#timers.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { call } of due) call();
    return due.length > 0;
  }

  #nextMs(): number {
    const known = this.#known();
    const soonest = this.#inSteps || known === Infinity ? Math.min(known, this.#nowMs + STEP_MS) : known;
    // The harness's own timers are never late: their exact time matters.
    const late = Math.min(this.#nowMs + this.#slackMs, this.#timers[0]?.atMs ?? Infinity);
    return Math.max(soonest, late, this.#nowMs);
  }

  #known(): number {
    return Math.min(this.#timers[0]?.atMs ?? Infinity, this.#deadlineMs ?? Infinity);
  }
}
