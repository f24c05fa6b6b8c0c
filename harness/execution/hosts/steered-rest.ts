/**
 * When programs with steered clocks are at rest: a fact that their launchers tell, with the moment at which the first of them goes on by
 * itself.
 *
 * Owns: who is asked, and when the answer holds. Does not own: how a launcher knows (`actors/process/launcher/steer.h`), whether time
 * passes to that moment (the scheduler). Start at {@link SteeredRest}.
 */
import type { Doing } from '../../actors/process/steering.ts';
import { realDelay, realNow, realSetImmediate } from '../../determinism/real-time.ts';
import type { SteeredClock } from '../../determinism/steered-clock.ts';
import type { RunOnHost } from '../run/host.ts';
import { CutShort } from '../run/cut-short.ts';
import { Unsteered } from '../run/unsteered.ts';
import { UNANSWERED_MS, type Holdup, type Rest, type Watched } from './rest.ts';

/** A launcher answers after that many ms of real time at the latest. */
const ASKED_MS = 50;
/** However busy a program is, the next thing happens once it has computed for so long: a virtual machine that starts computes. */
const BUSY_MAX_MS = 1_000;
/** One that was busy for so long this many times in a row never sleeps, and gets this little instead. */
const RESTLESS = 4;
const RESTLESS_MS = 20;
/** One that neither sleeps nor computes for so long, in real time, naps again and again: time passes for it as it does for us. */
const NAPPING_MS = 1_000;
/** And no one is waited for any longer than that. */
const AWAKE_MAX_MS = 20_000;
/** How often something is looked for that no launcher knows of. */
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
  /** Something may have woken them since they were asked last. */
  #stirred = true;
  #restless = 0;
  /** How often the clock had been set ahead when they were asked last. */
  #jumps = 0;
  /** They have been asked in this drain whether they are ready. */
  #probed = false;

  constructor(clock: SteeredClock, beat: () => void, unansweredMs: number = UNANSWERED_MS) {
    this.#clock = clock;
    this.#beat = beat;
    this.#unansweredMs = unansweredMs;
  }

  starting(withinMs: number): () => void {
    const heard = this.#clock.awaiting(withinMs);
    let over = false;
    this.#starting++;
    this.told();
    return () => {
      if (over) return;
      over = true;
      heard();
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

  /** Connections are not disturbed where clocks are steered. */
  startsAfter(): void {}

  /** A program waits in a way that is not steered: no jump would be noticed. */
  lost(what: string): void {
    this.#unsteered ??= what;
    this.#stirred = true;
  }

  /**
   * @throws {CutShort} when something outside has not come for too long: it would be waited for in every drain to come.
   * @throws {Unsteered} when time cannot be steered for a program.
   */
  async drain(run: RunOnHost): Promise<void> {
    const clock = this.#clock;
    if (clock.fire()) this.told();
    // A jump has been decided on.
    if (clock.jumps !== this.#jumps) this.#stirred = true;
    this.#jumps = clock.jumps;
    this.#probed = false;
    const fromMs = clock.exactMs;
    let [seen, movedMs] = [this.#all(run), realNow()];
    // What they were told leaves here within two turns.
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
      // Whoever is asked waits for a moment of its own before it answers, or for something at the gate, which is for others to let happen.
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
        // What they did when they were asked holds no longer.
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

  /** What all lives do; `absent` while one of them is not there yet, or gone and nobody has been told. */
  async #ask(run: RunOnHost): Promise<readonly Doing[] | 'absent'> {
    if (this.#unsteered !== undefined) throw new Unsteered(this.#unsteered);
    const lives = [...this.#lives].filter(({ isPaused }) => isPaused !== true);
    const steerings = lives.map(({ steering }) => steering).filter((steering) => steering !== undefined);
    if (steerings.length < lives.length) return 'absent';
    const before = this.#all(run);
    const all = await Promise.all(steerings.map((steering) => steering.rest(this.#clock.exactMs, ASKED_MS)));
    const doing = all.filter((one) => one !== undefined);
    // What it printed last is still on its way; then its end is told.
    if (doing.length < lives.filter((life) => this.#lives.has(life)).length) return 'absent';
    for (const { nowMs } of doing) this.#clock.reaches(nowMs);
    // What they sent before they fell asleep has been read by now, and is passed on in one turn more.
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
    // What it computes before it asks for anything is no reaction to anything.
    if (this.#starting > 0) return false;
    if (computedMs < (this.#restless >= RESTLESS ? RESTLESS_MS : BUSY_MAX_MS)) return false;
    this.#restless++;
    return true;
  }

  #isAnyPaused(): boolean {
    return [...this.#lives].some(({ isPaused }) => isPaused === true);
  }

  /** Whatever grows while anything moves. */
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
