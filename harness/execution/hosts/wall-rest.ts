/**
 * When a process is at rest in real time: it was told something, has acted upon it or will not, and now sleeps.
 *
 * Where the kernel tells of its threads, all of them sleeping is rest. Elsewhere, and for a process that never sleeps, it is given a
 * moment, as long as it has needed lately. Owns: how long is waited. Does not own: reading threads (`actors/process/threads.ts`).
 */
import { ThreadWatch, type Sleep } from '../../actors/process/threads.ts';
import { realDelay, realNow, realSetImmediate } from '../../determinism/real-time.ts';
import type { WallClock } from '../../determinism/run-clock.ts';
import type { RunOnHost } from '../run/host.ts';
import { CutShort } from '../run/cut-short.ts';
import { UNANSWERED_MS, type Holdup, type Rest, type Watched } from './rest.ts';

const POLL_MS = 1;
/**
 * However busy it is, the next thing happens once it has computed for so long. A virtual machine that starts, or meets code for the first
 * time, computes. Where others want the processors too, that takes longer than it says: whoever waits for one does not pause.
 */
const BUSY_MAX_MS = 1_000;
/** But nothing is waited for any longer than that. */
const BUSY_WALL_MAX_MS = 20_000;
/** One that was busy for so long this many times in a row never sleeps, and is given the moment instead. */
const RESTLESS = 4;
/** Where nothing is to depend on chance, it gets that long: client-go tries again after 5 ms, then 10. */
const FIRST_RETRY_MS = 12;
/** The moment that a process gets whose threads nobody can see. */
const QUIET_MS = { min: 4, max: 60 } as const;
/** Of nearly the longest time that it took lately: what is rarer has a cause of its own, such as a timer. */
const PATIENCE = 2;
const REMEMBERED = 32;
const RARE = 4;

/** How fast a process acts upon what it is told, as seen so far: on a busy machine everything takes longer. */
class Reaction {
  readonly #lately: number[] = [];

  get quietMs(): number {
    const longest = this.#lately.toSorted((a, b) => b - a)[RARE] ?? 0;
    return Math.min(QUIET_MS.max, Math.max(QUIET_MS.min, longest * PATIENCE));
  }

  /** It acted so long after it was told something. */
  acted(afterMs: number): void {
    this.#lately.push(afterMs);
    if (this.#lately.length > REMEMBERED) this.#lately.shift();
  }
}

/** Whether anything may still be on its way. */
export class WallRest implements Rest {
  readonly #wall: WallClock;
  readonly #beat: () => void;
  #starting = 0;
  /** How long the youngest life is waited for, once and not again by each drain. */
  #startsUntilMs = 0;
  #activity = 0;
  #outside: (run: RunOnHost) => Holdup = () => 'none';
  #isDue: () => boolean = () => false;
  readonly #unansweredMs: number;
  readonly #reaction = new Reaction();
  readonly #lives = new Set<Life>();
  /** When the process was told something last. */
  #toldMs = 0;
  /** How long it had computed by then, since it was first looked at after that. */
  #ranBeforeMs: number | undefined;
  /** It may still act upon that. */
  #acting = false;
  #restless = 0;

  /**
   * @param beat Told now and then that we are alive; it may throw, to cut short what waits.
   * @param unansweredMs How long something outside may be waited for while nothing moves.
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
    this.#justTold();
    this.#acting = true;
    this.#activity++;
  }

  #justTold(): void {
    this.#toldMs = realNow();
    this.#ranBeforeMs = undefined;
  }

  acted(): void {
    this.#reaction.acted(realNow() - this.#toldMs);
  }

  moved(): void {
    this.#activity++;
  }

  /** Here time passes by itself. */
  lost(): void {}

  alsoWhile(outside: (run: RunOnHost) => Holdup): void {
    this.#outside = outside;
  }

  startsAfter(isDue: () => boolean): void {
    this.#isDue = isDue;
  }

  /** @throws {CutShort} when something outside has not come for too long: it would be waited for in every drain to come. */
  async drain(run: RunOnHost): Promise<void> {
    let seen = this.#all(run);
    let movedMs = realNow();
    const wall = this.#wall;
    let waiting = wall.waitingUntilMs > wall.now();
    // What it was told leaves here within two turns.
    await turn();
    for (;;) {
      await turn();
      const now = this.#all(run);
      if (now !== seen) {
        seen = now;
        movedMs = realNow();
        waiting = false;
        if (this.#acting) this.#justTold();
      }
      const startingUp = this.#starting > 0 && realNow() < this.#startsUntilMs && !this.#isDue();
      const sleep = this.#acting && !startingUp ? this.#look() : 'asleep';
      if (this.#acting && !startingUp && this.#isOver(sleep, run)) {
        // What it sent before it fell asleep is read in one turn more.
        await turn();
        if (this.#all(run) === seen) this.#acting = false;
        else continue;
      }
      if (waiting && wall.now() >= wall.waitingUntilMs) {
        waiting = false;
        // Its own timer has woken it, and it wants for a processor before it can send anything.
        if (!startingUp && !this.#acting && this.#look() === 'awake') {
          this.#justTold();
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

  /** How all lives sleep, taken together. */
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

  /** Whether the process has had its time. */
  #isOver(sleep: Sleep, run: RunOnHost): boolean {
    const sinceMs = realNow() - this.#toldMs;
    const computedMs = sleep === 'unknown' ? sinceMs : this.#computedMs();
    if (sleep === 'asleep') {
      this.#restless = 0;
      // A first retry is on its way for some milliseconds in which all threads sleep.
      return !run.serialised || sinceMs >= FIRST_RETRY_MS;
    }
    if (sinceMs >= BUSY_WALL_MAX_MS) return true;
    if (sleep === 'unknown' || this.#restless >= RESTLESS) return computedMs >= this.#reaction.quietMs;
    if (computedMs < BUSY_MAX_MS) return false;
    this.#restless++;
    return true;
  }

  /** How long its threads have been on a processor since it was told something. */
  #computedMs(): number {
    let ranMs = 0;
    for (const { threads } of this.#lives) ranMs += threads?.ranMs ?? 0;
    // Threads that ended take what they did along.
    this.#ranBeforeMs = Math.min(this.#ranBeforeMs ?? ranMs, ranMs);
    return ranMs - this.#ranBeforeMs;
  }

  /** Whatever grows while anything moves: a connection that is being opened too, for whose other end the process sleeps. */
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
