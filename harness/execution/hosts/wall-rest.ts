/**
 * Detects when a process in real time is at rest: it has reacted to what it received, or will not react, and sleeps.
 *
 * If the kernel exposes its threads, it is at rest when all of them sleep. Otherwise, or if it never sleeps, it is at rest after a short
 * quiet time, whose length depends on how fast it has reacted lately. Owns: how long to wait. Does not own: reading threads
 * (`actors/process/threads.ts`).
 */
import { ThreadWatch, type Sleep } from '../../actors/process/threads.ts';
import { realDelay, realNow, realSetImmediate } from '../../determinism/real-time.ts';
import type { WallClock } from '../../determinism/run-clock.ts';
import type { RunOnHost } from '../run/host.ts';
import { CutShort } from '../run/cut-short.ts';
import { UNANSWERED_MS, type Holdup, type Rest, type Watched } from './rest.ts';

const POLL_MS = 1;
/**
 * The computing time in ms after which a busy process counts as at rest: a language runtime computes for a long time when it starts or runs
 * code for the first time. Only computing time counts, because a process on a loaded machine also waits for a processor.
 */
const BUSY_MAX_MS = 1_000;
/** The upper limit for any wait, in ms of real time. */
const BUSY_WALL_MAX_MS = 20_000;
/** After this many consecutive busy waits, a process counts as never sleeping and gets the quiet time instead. */
const RESTLESS = 4;
/** The minimum wait in `serialised` runs, in ms: client-go retries after 5 ms, then after 10 ms. */
const FIRST_RETRY_MS = 12;
/** The bounds of the quiet time, in ms. */
const QUIET_MS = { min: 4, max: 60 } as const;
/**
 * The quiet time is this multiple of the longest recent reaction, apart from the `RARE` longest, which have another cause, such as a timer.
 */
const PATIENCE = 2;
const REMEMBERED = 32;
const RARE = 4;

/** Measures how fast a process reacts to what it receives: on a loaded machine everything takes longer. */
class Reaction {
  readonly #lately: number[] = [];

  get quietMs(): number {
    const longest = this.#lately.toSorted((a, b) => b - a)[RARE] ?? 0;
    return Math.min(QUIET_MS.max, Math.max(QUIET_MS.min, longest * PATIENCE));
  }

  /** Records that the process acted this long after it received something. */
  acted(afterMs: number): void {
    this.#lately.push(afterMs);
    if (this.#lately.length > REMEMBERED) this.#lately.shift();
  }
}

/** Detects rest in real time. */
export class WallRest implements Rest {
  readonly #wall: WallClock;
  readonly #beat: () => void;
  #starting = 0;
  /** When the wait for the youngest incarnation ends, across all drains. */
  #startsUntilMs = 0;
  #activity = 0;
  #outside: (run: RunOnHost) => Holdup = () => 'none';
  #isDue: () => boolean = () => false;
  readonly #unansweredMs: number;
  readonly #reaction = new Reaction();
  readonly #lives = new Set<Life>();
  /** When the process last received something. */
  #receivedMs = 0;
  /** The computing time that the process had used when first measured after {@link #receivedMs}, in ms. */
  #ranBeforeMs: number | undefined;
  /** Whether the process may still react to what it last received. */
  #acting = false;
  #restless = 0;

  /**
   * @param beat Called at intervals as a sign of life; it may throw to interrupt a wait.
   * @param unansweredMs How long to wait for a server or webhook without any activity, in ms.
   */
  constructor(wall: WallClock, beat: () => void, unansweredMs: number = UNANSWERED_MS) {
    this.#wall = wall;
    this.#unansweredMs = unansweredMs;
    this.#beat = beat;
  }

  starting(withinMs: number): () => void {
    this.#starting++;
    this.#startsUntilMs = realNow() + withinMs;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#starting--;
      this.told();
    };
  }

  watch(process: Watched): () => void {
    const life: Life = { process, threads: undefined };
    this.#lives.add(life);
    return () => {
      this.#lives.delete(life);
      life.threads?.close();
    };
  }

  told(): void {
    this.#received();
    this.#acting = true;
    this.#activity++;
  }

  #received(): void {
    this.#receivedMs = realNow();
    this.#ranBeforeMs = undefined;
  }

  acted(): void {
    this.#reaction.acted(realNow() - this.#receivedMs);
  }

  moved(): void {
    this.#activity++;
  }

  /** Does nothing: real time passes by itself. */
  lost(): void {}

  alsoWhile(outside: (run: RunOnHost) => Holdup): void {
    this.#outside = outside;
  }

  startsAfter(isDue: () => boolean): void {
    this.#isDue = isDue;
  }

  /**
   * Waits for rest.
   *
   * @throws {CutShort} if a server or webhook takes too long to answer: every later drain would wait for it too.
   */
  async drain(run: RunOnHost): Promise<void> {
    let seen = this.#all(run);
    let movedMs = realNow();
    const wall = this.#wall;
    let waiting = wall.waitingUntilMs > wall.now();
    // Messages sent to the process leave this one within two turns.
    await turn();
    for (;;) {
      await turn();
      const now = this.#all(run);
      if (now !== seen) {
        seen = now;
        movedMs = realNow();
        waiting = false;
        if (this.#acting) this.#received();
      }
      const startingUp = this.#starting > 0 && realNow() < this.#startsUntilMs && !this.#isDue();
      const sleep = this.#acting && !startingUp ? this.#look() : 'asleep';
      if (this.#acting && !startingUp && this.#isOver(sleep, run)) {
        // Messages that the process sent before it slept are read within one more turn.
        await turn();
        if (this.#all(run) === seen) this.#acting = false;
        else continue;
      }
      if (waiting && wall.now() >= wall.waitingUntilMs) {
        waiting = false;
        // A timer has woken the process, which waits for a processor before it can send anything.
        if (!startingUp && !this.#acting && this.#look() === 'awake') {
          this.#received();
          this.#acting = true;
        }
      }
      if (!startingUp && !this.#acting && !waiting) {
        if (this.#outside(run) === 'none') return;
        if (realNow() - movedMs > this.#unansweredMs)
          throw new CutShort(`a request was not answered within ${this.#unansweredMs / 1000} s`);
      }
      this.#beat();
      if (sleep !== 'dozing') await realDelay(POLL_MS);
    }
  }

  /** Returns the least restful state of all incarnations. */
  #look(): Sleep {
    let worst: Sleep = 'asleep';
    let any = false;
    for (const life of this.#lives) {
      const { pid } = life.process;
      if (pid === undefined) continue;
      any = true;
      const sleep = (life.threads ??= new ThreadWatch(pid)).look();
      if (DEPTH[sleep] > DEPTH[worst]) worst = sleep;
    }
    return any ? worst : 'unknown';
  }

  /** Reports whether the process has had enough time to react. */
  #isOver(sleep: Sleep, run: RunOnHost): boolean {
    const sinceMs = realNow() - this.#receivedMs;
    const computedMs = sleep === 'unknown' ? sinceMs : this.#computedMs();
    if (sleep === 'asleep') {
      this.#restless = 0;
      // While a first retry is pending, all threads sleep for some milliseconds.
      return !run.serialised || sinceMs >= FIRST_RETRY_MS;
    }
    if (sinceMs >= BUSY_WALL_MAX_MS) return true;
    if (sleep === 'unknown' || this.#restless >= RESTLESS) return computedMs >= this.#reaction.quietMs;
    if (computedMs < BUSY_MAX_MS) return false;
    this.#restless++;
    return true;
  }

  /** Returns how long the process's threads have computed since it last received something, in ms. */
  #computedMs(): number {
    let ranMs = 0;
    for (const { threads } of this.#lives) ranMs += threads?.ranMs ?? 0;
    // The sum may shrink: threads that have ended are no longer included.
    this.#ranBeforeMs = Math.min(this.#ranBeforeMs ?? ranMs, ranMs);
    return ranMs - this.#ranBeforeMs;
  }

  /** Returns a number that increases with any activity, including the opening of connections, during which the process sleeps. */
  #all(run: RunOnHost): number {
    let moved = this.#activity + run.gate.activity;
    for (const { process } of this.#lives) moved += process.moved;
    return moved;
  }
}

interface Life {
  readonly process: Watched;
  threads: ThreadWatch | undefined;
}

const DEPTH: { readonly [sleep in Sleep]: number } = { asleep: 0, dozing: 1, awake: 2, unknown: 3 };

function turn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
