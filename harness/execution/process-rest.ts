/**
 * When a process is at rest: it was told something, has acted upon it or will not, and now sleeps.
 *
 * Where the kernel tells of its threads, all of them sleeping is rest. Elsewhere, and for a process that never sleeps, it is given a
 * moment, as long as it has needed lately. Owns: how long is waited. Does not own: reading threads (`actors/process/threads.ts`).
 */
import { ThreadWatch, type Sleep } from '../actors/process/threads.ts';
import { realDelay, realNow, realSetImmediate } from '../determinism/real-time.ts';
import type { WallClock } from '../determinism/run-clock.ts';
import { CutShort } from './cut-short.ts';
import type { World } from './world.ts';

const POLL_MS = 1;
/** However busy it is, the next thing happens after so long. A virtual machine that starts, or meets code for the first time, computes. */
const BUSY_MAX_MS = 1_000;
/** One that was busy for so long this many times in a row never sleeps, and is given the moment instead. */
const RESTLESS = 4;
/** Where nothing is to depend on chance, it gets that long: client-go tries again after 5 ms, then 10. */
const FIRST_RETRY_MS = 12;
/** A server that has not answered for so long, with nothing else going on, will not. */
const UNANSWERED_MS = 30_000;
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
export class Rest {
  readonly #time: WallClock;
  readonly #beat: () => void;
  #starting = 0;
  /** How long the youngest life is waited for, once and not again by each drain. */
  #startsUntilMs = 0;
  #activity = 0;
  #outside: (world: World) => boolean = () => false;
  readonly #unansweredMs: number;
  readonly #reaction = new Reaction();
  readonly #lives = new Set<Life>();
  /** When the process was told something last. */
  #toldMs = 0;
  /** It may still act upon that. */
  #acting = false;
  #restless = 0;

  /**
   * @param beat Told now and then that we are alive.
   * @param unansweredMs How long something outside may be waited for while nothing moves.
   */
  constructor(time: WallClock, beat: () => void, unansweredMs: number = UNANSWERED_MS) {
    this.#time = time;
    this.#unansweredMs = unansweredMs;
    this.#beat = beat;
  }

  /**
   * A life begins; the returned function says that it is there, or gone. One that has sent nothing within that time does not use its
   * kubeconfig, or takes too long.
   */
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

  /** The threads of a life are looked at until the returned function is called. */
  watch(pid: () => number | undefined): () => void {
    const life: Life = { pid, threads: undefined };
    this.#lives.add(life);
    return () => {
      this.#lives.delete(life);
      life.threads?.close();
    };
  }

  /** The same, noted as something that the process is told. */
  telling<Args extends readonly unknown[]>(pass: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      this.told();
      pass(...args);
    };
  }

  told(): void {
    this.#toldMs = realNow();
    this.#acting = true;
    this.#activity++;
  }

  /** The process sends something. */
  acted(): void {
    this.#reaction.acted(realNow() - this.#toldMs);
  }

  moved(): void {
    this.#activity++;
  }

  /** Rest has not come as long as `outside` says so. */
  alsoWhile(outside: (world: World) => boolean): void {
    this.#outside = outside;
  }

  /** @throws {CutShort} when something outside has not come for too long: it would be waited for in every drain to come. */
  async drain(world: World): Promise<void> {
    let seen = this.#all(world);
    let movedMs = realNow();
    let waiting = this.#time.waitingUntilMs > this.#time.now();
    // What it was told leaves here within two turns.
    await turn();
    for (;;) {
      await turn();
      const now = this.#all(world);
      if (now !== seen) {
        seen = now;
        movedMs = realNow();
        waiting = false;
        if (this.#acting) this.#toldMs = realNow();
      }
      const startingUp = this.#starting > 0 && realNow() < this.#startsUntilMs;
      const sleep = this.#acting && !startingUp ? this.#look() : 'asleep';
      if (this.#acting && !startingUp && this.#isOver(sleep, world)) {
        // What it sent before it fell asleep is read in one turn more.
        await turn();
        if (this.#all(world) === seen) this.#acting = false;
        else continue;
      }
      if (waiting && this.#time.now() >= this.#time.waitingUntilMs) waiting = false;
      if (!startingUp && !this.#acting && !waiting) {
        if (!this.#outside(world)) return;
        if (realNow() - movedMs > this.#unansweredMs)
          throw new CutShort(`what was asked for was not answered within ${this.#unansweredMs / 1000} s`);
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
      const pid = life.pid();
      if (pid === undefined) continue;
      any = true;
      const sleep = (life.threads ??= new ThreadWatch(pid)).look();
      if (DEPTH[sleep] > DEPTH[worst]) worst = sleep;
    }
    return any ? worst : 'unknown';
  }

  /** Whether the process has had its time. */
  #isOver(sleep: Sleep, world: World): boolean {
    const sinceMs = realNow() - this.#toldMs;
    if (sleep === 'asleep') {
      this.#restless = 0;
      // A first retry is on its way for some milliseconds in which all threads sleep.
      return !world.serialised || sinceMs >= FIRST_RETRY_MS;
    }
    if (sleep === 'unknown' || this.#restless >= RESTLESS) return sinceMs >= this.#reaction.quietMs;
    if (sinceMs < BUSY_MAX_MS) return false;
    this.#restless++;
    return true;
  }

  #all(world: World): number {
    return this.#activity + world.gate.activity;
  }
}

interface Life {
  readonly pid: () => number | undefined;
  threads: ThreadWatch | undefined;
}

const DEPTH: { readonly [sleep in Sleep]: number } = { asleep: 0, dozing: 1, awake: 2, unknown: 3 };

function turn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
