/** Probes a run that has come to rest, while it is still open. */
import { realNow } from '../../determinism/real-time.ts';
import type { History, Settlement } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { EXTENDED_SETTLE_MS, polledMs, unchangedMs } from '../../oracle/rest.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import type { LeftAlone, Live } from './live.ts';
import { lookOn } from './own-moments.ts';
import { pump } from './pump.ts';
import { retire, settle } from './settling.ts';
import type { TrialSettle } from './trial-options.ts';
import type { World } from './world.ts';

/** The number of silence windows that a suspect gets, however busy it is. */
const LIVE_WINDOWS_MAX = 2;

/** The factor by which the step limit is multiplied while the target keeps renewing a lock. */
const STEPS_OF_LOCKS = 2;

/**
 * The factor by which the step limit is multiplied in virtual time. Without it, a target that polls several times a second would reach the
 * limit before a long window is over, and its run would be inconclusive.
 */
const STEPS_OF_POLLS = 2;

/** The additional run time in ms for a suspect that is still busy after its windows. */
const AT_WORK_MS = 600_000;

/**
 * How much more real time than one look a suspect gets in which to come to rest: a target that does a lot at each poll, and never rests, would
 * take minutes.
 */
const SETTLE_SHARE = 2;

/** The maximum number of requests, answers and events while a run continues; beyond it, the target is busy anyway. */
const LIVE_ON_ITEMS = 4_000;

/** The same while a suspect is left alone: a target that polls or renews a lock every two seconds is observed for a part of the time. */
const ALONE_ITEMS = 2_000;

export class LiveRun implements Live {
  readonly history: History;
  readonly waitsForReal: boolean;
  readonly #world: World;
  readonly #settle: TrialSettle;
  readonly #steps: number;
  readonly #missed: readonly string[];
  #settled: { readonly history: History; readonly windowMs: number };
  #takenOver: History | undefined;
  /** The real time that is left for looks at whether the target comes to rest, in ms. */
  #realLeftMs: number;

  constructor(world: World, settling: TrialSettle, settlement: Settlement, steps: number, missed: readonly string[]) {
    this.#world = world;
    this.waitsForReal = world.host.mode.waitsForReal;
    this.#settle = settling;
    this.#steps = steps;
    this.#missed = missed;
    this.history = world.recorder.historySoFar(settlement, steps, missed);
    this.#settled = { history: this.history, windowMs: 0 };
    this.#realLeftMs = SETTLE_SHARE * lookRealMs(world);
  }

  async settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }> {
    if (windowMs > this.#settled.windowMs && this.#takenOver === undefined && this.#realLeftMs > 0) {
      const began = realNow();
      const untilReal = began + this.#realLeftMs;
      const { recorder } = this.#world;
      const requests = recorder.operations.length;
      const { time } = this.#world.host;
      const beganMs = time.now();
      // A target that renews a lock every two seconds produces items for as long as the wait lasts.
      const polls = this.waitsForReal ? 1 : STEPS_OF_POLLS;
      const perWindow = this.#settle.stepsMax * polls * (this.#world.keepsUp ? STEPS_OF_LOCKS : 1);
      const stepsMax = perWindow * Math.max(1, Math.ceil(windowMs / EXTENDED_SETTLE_MS));
      const windows = { ...this.#settle, stepsMax, windowMs, windowsMax: LIVE_WINDOWS_MAX, untilReal };
      // If a target that only polls changes nothing in one long window, a second window would show nothing new.
      const first = windowMs < polledMs(0) ? windows : { ...windows, windowsMax: 1 };
      const settlement = await settle(this.#world, first);
      const history = this.#soFar(settlement);
      const isLong = !this.waitsForReal && windowMs >= this.#world.host.pace.suspectMs;
      const isBusy = isLong && settlement.result === 'time-exceeded';
      const seen = isBusy ? await this.#settleBusy(windows, history) : history;
      if (recorder.operations.length > requests) this.#realLeftMs -= realNow() - began;
      // A look that had to end early covers no more than the run time that has passed.
      const isCut = this.#realLeftMs <= 0 && seen.settlement.result === 'time-exceeded';
      this.#settled = { windowMs: isCut ? Math.min(windowMs, time.now() - beganMs) : windowMs, history: seen };
    }
    return this.#settled;
  }

  /** Gives a target that is never silent more run time, if that costs no real time. */
  async #settleBusy(windows: TrialSettle & { readonly untilReal: number }, before: History): Promise<History> {
    const { untilReal } = windows;
    const neededMs = polledMs(windows.windowMs);
    const lacksMs = neededMs - unchangedMs(before);
    if (lacksMs <= 0) return before;
    await this.#pass(lacksMs, untilReal);
    const polled = this.#soFar(before.settlement);
    if (unchangedMs(polled) >= neededMs || realNow() >= untilReal) return polled;
    // The target still changes something, perhaps after minutes of back-off, or while it cleans up.
    await this.#pass(AT_WORK_MS, untilReal);
    return this.#soFar(await settle(this.#world, windows));
  }

  async lookOn(): Promise<{ readonly history: History; readonly waitsMs: readonly number[] }> {
    const waitsMs = await lookOn(this.#world);
    return { history: this.#soFar(this.history.settlement), waitsMs };
  }

  async liveOn(ms: number): Promise<History> {
    await this.#pass(ms);
    return this.#soFar(await settle(this.#world, this.#settle));
  }

  async leaveAlone(ms: number): Promise<LeftAlone | undefined> {
    if (this.#takenOver !== undefined) return undefined;
    const { time } = this.#world.host;
    const revisions = this.#world.recorder.revisions.length;
    const sinceMs = time.now();
    // A program that computes a lot at each poll takes seconds of real time for half an hour.
    const untilReal = realNow() + lookRealMs(this.#world);
    let isTooSlow = false;
    const end = await pump(this.#world, new ReplayScheduler(EMPTY_SCHEDULE), {
      ...{ stepsMax: ALONE_ITEMS, hotMax: ALONE_ITEMS, mayBeLate: true },
      // Not the wait of a program, which lasts until the next timer: that may be a resync ten hours later.
      mayWaitUntil: (atMs) => {
        isTooSlow = realNow() >= untilReal;
        return atMs <= sinceMs + ms && !isTooSlow;
      },
    });
    time.hurry?.(0);
    const passedMs = end === 'idle' && !isTooSlow ? ms : time.now() - sinceMs;
    return { history: this.#soFar(await settle(this.#world, this.#settle)), ms: passedMs, revisions };
  }

  async takeOver(): Promise<History> {
    if (this.#takenOver === undefined) {
      await retire(this.#world, this.#world.host.pace.graceMs.replaced);
      this.#world.incarnations.launchAll();
      this.#takenOver = this.#soFar(await settle(this.#world, this.#settle));
    }
    return this.#takenOver;
  }

  /** Lets `ms` of run time pass with nothing to do, at most until a moment of real time. */
  async #pass(ms: number, untilReal: number = Number.POSITIVE_INFINITY): Promise<void> {
    const { waits } = this.#world;
    void waits.begin('user', ms);
    await pump(this.#world, new ReplayScheduler(EMPTY_SCHEDULE), {
      ...{ stepsMax: LIVE_ON_ITEMS, hotMax: LIVE_ON_ITEMS },
      mayWaitUntil: (atMs) => atMs <= waits.untilMs && realNow() < untilReal,
    });
    waits.endAll();
  }

  #soFar(settlement: Settlement): History {
    return this.#world.recorder.historySoFar(settlement, this.#steps, this.#missed);
  }
}

/** Returns how much real time one look at a run may take, in ms. */
function lookRealMs({ host }: World): number {
  return host.mode.lookOn?.realMs ?? Number.POSITIVE_INFINITY;
}
