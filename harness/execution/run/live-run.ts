/** What can still be asked of a run that has come to rest, while it stands. */
import type { History, Settlement } from '../../model/history.ts';
import { EMPTY_SCHEDULE } from '../../model/schedule.ts';
import { EXTENDED_SETTLE_MS } from '../../oracle/rest.ts';
import { ReplayScheduler } from '../../schedule/replay-scheduler.ts';
import type { Live } from './live.ts';
import { lookOn } from './own-moments.ts';
import { pump } from './pump.ts';
import { retire, settle } from './settling.ts';
import type { TrialSettle } from './trial-options.ts';
import type { World } from './world.ts';

/** A suspect is given this many times the silence that it must keep, however busy it is. */
const LIVE_WINDOWS_MAX = 2;

/** So many times the steps, where a lock is kept. */
const STEPS_OF_LOCKS = 2;

/** A suspect that is still at work after that is given so much more, in ms of run time. */
const AT_WORK_MS = 600_000;

/** Requests, answers and events while a run lives on: more than that, and it is busy anyway. */
const LIVE_ON_ITEMS = 4_000;

export class LiveRun implements Live {
  readonly history: History;
  readonly waitsForReal: boolean;
  readonly #world: World;
  readonly #settle: TrialSettle;
  readonly #steps: number;
  readonly #missed: readonly string[];
  #settled: { readonly history: History; readonly windowMs: number };
  #takenOver: History | undefined;

  constructor(world: World, settling: TrialSettle, settlement: Settlement, steps: number, missed: readonly string[]) {
    this.#world = world;
    this.waitsForReal = world.host.mode.waitsForReal;
    this.#settle = settling;
    this.#steps = steps;
    this.#missed = missed;
    this.history = world.recorder.historySoFar(settlement, steps, missed);
    this.#settled = { history: this.history, windowMs: 0 };
  }

  async settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }> {
    if (windowMs > this.#settled.windowMs && this.#takenOver === undefined) {
      // A lock that is renewed every two seconds goes on for as long as is waited, and lets few timers be late.
      const perWindow = this.#settle.stepsMax * (this.#world.keepsUp ? STEPS_OF_LOCKS : 1);
      const stepsMax = perWindow * Math.max(1, Math.ceil(windowMs / EXTENDED_SETTLE_MS));
      const windows = { ...this.#settle, stepsMax, windowMs, windowsMax: LIVE_WINDOWS_MAX };
      let settlement = await settle(this.#world, windows);
      // Still at work, as after a back-off or a clean-up of minutes: where those take no time, it gets them.
      if (settlement.result === 'time-exceeded' && !this.waitsForReal && windowMs >= this.#world.pace.suspectMs) {
        await this.#pass(AT_WORK_MS);
        settlement = await settle(this.#world, windows);
      }
      this.#settled = { windowMs, history: this.#soFar(settlement) };
    }
    return this.#settled;
  }

  async lookOn(): Promise<{ readonly history: History; readonly waitsMs: readonly number[] }> {
    const waitsMs = await lookOn(this.#world);
    return { history: this.#soFar(this.history.settlement), waitsMs };
  }

  async liveOn(ms: number): Promise<History> {
    await this.#pass(ms);
    return this.#soFar(await settle(this.#world, this.#settle));
  }

  async takeOver(): Promise<History> {
    if (this.#takenOver === undefined) {
      await retire(this.#world, this.#world.host.pace.graceMs.replaced);
      this.#world.incarnations.launchAll();
      this.#takenOver = this.#soFar(await settle(this.#world, this.#settle));
    }
    return this.#takenOver;
  }

  /** So much run time passes with nothing to do. */
  async #pass(ms: number): Promise<void> {
    const { waits } = this.#world;
    void waits.begin('user', ms);
    await pump(this.#world, new ReplayScheduler(EMPTY_SCHEDULE), {
      ...{ stepsMax: LIVE_ON_ITEMS, hotMax: LIVE_ON_ITEMS },
      mayWaitUntil: (atMs) => atMs <= waits.untilMs,
    });
    waits.endAll();
  }

  #soFar(settlement: Settlement): History {
    return this.#world.recorder.historySoFar(settlement, this.#steps, this.#missed);
  }
}
