/**
 * Detects when programs with steered clocks are at rest. Their launchers report this exactly, together with the time at which the first
 * program wakes up by itself.
 *
 * Owns: which launchers to query, and how long their answers are valid. Does not own: how a launcher detects rest
 * (`actors/process/launcher/steer.h`), whether time advances (the scheduler). Start at {@link SteeredRest}.
 */
import type { Doing } from '../../actors/process/steering.ts';
import { realDelay, realNow, realSetImmediate } from '../../determinism/real-time.ts';
import type { SteeredClock } from '../../determinism/steered-clock.ts';
import type { RunOnHost } from '../run/host.ts';
import { CutShort } from '../run/cut-short.ts';
import { Unsteered } from '../run/unsteered.ts';
import { UNANSWERED_MS, type Holdup, type Rest, type Watched } from './rest.ts';

/** The time limit for a launcher's answer, in ms of real time. */
const ASKED_MS = 50;
/** The computing time in ms after which a busy program counts as at rest: a starting language runtime computes for a long time. */
const BUSY_MAX_MS = 1_000;
/** After this many consecutive busy drains, a program counts as never sleeping and gets the shorter limit below. */
const RESTLESS = 4;
const RESTLESS_MS = 20;
/** A program that neither sleeps nor computes for this long, in ms of real time, is napping: time then passes for it as in reality. */
const NAPPING_MS = 1_000;
/** The upper limit for any wait, in ms of real time. */
const AWAKE_MAX_MS = 20_000;
/** The polling interval for events that no launcher reports. */
const POLL_MS = 1;

export class SteeredRest implements Rest {
  readonly #clock: SteeredClock;
  readonly #beat: () => void;
  readonly #unansweredMs: number;
  readonly #lives = new Set<Watched>();
  #starting = 0;
  #outside: (run: RunOnHost) => Holdup = () => 'none';
  #unsteered: string | undefined;
  #activity = 0;
  /** Whether something may have woken the programs since they were last queried. */
  #stirred = true;
  #restless = 0;
  /** The clock's number of jumps at the previous drain. */
  #jumps = 0;
  /** Whether the programs have been probed for readiness in this drain. */
  #probed = false;

  constructor(clock: SteeredClock, beat: () => void, unansweredMs: number = UNANSWERED_MS) {
    this.#clock = clock;
    this.#beat = beat;
    this.#unansweredMs = unansweredMs;
  }

  starting(withinMs: number): () => void {
    const arrived = this.#clock.awaiting(withinMs);
    let over = false;
    this.#starting++;
    this.told();
    return () => {
      if (over) return;
      over = true;
      arrived();
      this.#starting--;
      this.told();
    };
  }

  watch(process: Watched): () => void {
    this.#lives.add(process);
    this.told();
    return () => this.#lives.delete(process);
  }

  told(): void {
    this.#activity++;
    this.#stirred = true;
  }

  acted(): void {
    this.#stirred = true;
  }

  moved(): void {
    this.told();
  }

  alsoWhile(outside: (run: RunOnHost) => Holdup): void {
    this.#outside = outside;
  }

  /** Does nothing: there are no connection faults if clocks are steered. */
  startsAfter(): void {}

  /** Makes the drain throw: a program that waits in this way would not notice a jump of the clock. */
  lost(what: string): void {
    this.#unsteered ??= what;
    this.#stirred = true;
  }

  /**
   * Waits for rest.
   *
   * @throws {CutShort} if a server or webhook takes too long to answer: every later drain would wait for it too.
   * @throws {Unsteered} if time cannot be steered for a program.
   */
  async drain(run: RunOnHost): Promise<void> {
    const clock = this.#clock;
    if (clock.fire()) this.told();
    // A jump of the clock since the previous drain may have woken the programs.
    if (clock.jumps !== this.#jumps) this.#stirred = true;
    this.#jumps = clock.jumps;
    this.#probed = false;
    const fromMs = clock.exactMs;
    let [seen, movedMs] = [this.#all(run), realNow()];
    // Messages sent to the programs leave this process within two turns.
    await turn();
    for (;;) {
      await turn();
      this.#beat();
      const doing = this.#stirred || this.#all(run) !== seen ? await this.#ask(run) : [];
      if (this.#all(run) !== seen) {
        [seen, movedMs] = [this.#all(run), realNow()];
        this.#stirred = true;
        continue;
      }
      const awakeMs = realNow() - movedMs;
      if (doing === 'absent') {
        if (awakeMs >= AWAKE_MAX_MS) return;
        await realDelay(POLL_MS);
        continue;
      }
      if (doing.some(({ asleep }) => !asleep)) {
        if (!this.#isRestless(doing, fromMs, awakeMs)) continue;
        clock.sleeps(null, true);
        return;
      }
      const holdup = this.#outside(run);
      // A webhook may wait for one of its own timers before it answers, or for an item at the gate that the scheduler has to release.
      const isHeldUp = holdup === 'instant' || (holdup === 'timed' && run.gate.pending.length === 0);
      if (isHeldUp) {
        if (awakeMs > this.#unansweredMs)
          throw new CutShort(`a request was not answered within ${this.#unansweredMs / 1000} s`);
        const soonest = soonestOf(doing);
        if (holdup === 'timed' && (soonest !== null || clock.callsBack)) {
          clock.sleeps(soonest, false);
          clock.advanceToNext();
          if (clock.fire()) this.told();
        } else await realDelay(POLL_MS);
        // The earlier answer of the launchers is no longer valid.
        this.#stirred = true;
        continue;
      }
      if (!this.#stirred) return;
      this.#restless = 0;
      this.#stirred = false;
      clock.sleeps(soonestOf(doing), this.#isAnyPaused());
      return;
    }
  }

  /** Returns what each incarnation is doing; `absent` if one has not started, or if its end has not been reported yet. */
  async #ask(run: RunOnHost): Promise<readonly Doing[] | 'absent'> {
    if (this.#unsteered !== undefined) throw new Unsteered(this.#unsteered);
    const lives = [...this.#lives].filter(({ isPaused }) => isPaused !== true);
    const steerings = lives.map(({ steering }) => steering).filter((steering) => steering !== undefined);
    if (steerings.length < lives.length) return 'absent';
    const before = this.#all(run);
    const all = await Promise.all(steerings.map((steering) => steering.rest(this.#clock.exactMs, ASKED_MS)));
    const doing = all.filter((one) => one !== undefined);
    // An incarnation has ended, but its last output is still being read. Its end is reported afterwards.
    if (doing.length < lives.filter((life) => this.#lives.has(life)).length) return 'absent';
    for (const { nowMs } of doing) this.#clock.reaches(nowMs);
    // Messages that the programs sent before they slept have already been read, and are passed on within one more turn.
    await turn();
    if (!this.#probed && this.#all(run) === before && doing.every(({ asleep }) => asleep)) {
      this.#probed = true;
      let isAsked = false;
      for (const life of lives) if ((await life.probe?.()) === true) isAsked = true;
      if (isAsked) this.told();
    }
    return doing;
  }

  #isRestless(doing: readonly Doing[], fromMs: number, awakeMs: number): boolean {
    const computedMs = Math.max(...doing.map(({ nowMs }) => nowMs)) - fromMs;
    const isNapping = awakeMs >= NAPPING_MS && computedMs < awakeMs / 10;
    if (isNapping) this.#clock.reaches(this.#clock.exactMs + awakeMs);
    if (isNapping || awakeMs >= AWAKE_MAX_MS) return true;
    // What a program computes before its first request is not a reaction to an event.
    if (this.#starting > 0) return false;
    if (computedMs < (this.#restless >= RESTLESS ? RESTLESS_MS : BUSY_MAX_MS)) return false;
    this.#restless++;
    return true;
  }

  #isAnyPaused(): boolean {
    return [...this.#lives].some(({ isPaused }) => isPaused === true);
  }

  /** Returns a number that increases with any activity. */
  #all(run: RunOnHost): number {
    let moved = this.#activity + run.gate.activity;
    for (const process of this.#lives) moved += process.moved;
    return moved;
  }
}

function soonestOf(doing: readonly Doing[]): number | null {
  const known = doing.map(({ untilMs }) => untilMs).filter((untilMs) => untilMs !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function turn(): Promise<void> {
  return new Promise((resolve) => realSetImmediate(resolve));
}
