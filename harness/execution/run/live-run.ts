/** What can still be asked of a run that has come to rest, while it stands. */
import type { History, Settlement } from '../../model/history.ts';
import { retire, settle } from './settling.ts';
import type { TrialOptions } from './trial.ts';
import type { World } from './world.ts';

/** A run that has come to rest and still stands: what cannot be made again is looked at while it is there. */
export interface Live {
  /** As if the run had ended when it first came to rest. */
  readonly history: History;
  /** The same run after so much more silence, in ms of run time; asking for less than before gives what is known. */
  settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }>;
  /** A fresh incarnation takes over and settles; nothing can be asked of the one before after that. */
  takeOver(): Promise<History>;
  /** Whether silence takes as long as it says. */
  readonly waitsForReal: boolean;
}

/** A suspect is given this many times the silence that it must keep, however busy it is. */
const LIVE_WINDOWS_MAX = 2;

export class LiveRun implements Live {
  readonly history: History;
  readonly waitsForReal: boolean;
  readonly #world: World;
  readonly #options: TrialOptions;
  readonly #steps: number;
  readonly #missed: readonly string[];
  #settled: { readonly history: History; readonly windowMs: number };
  #takenOver: History | undefined;

  constructor(world: World, options: TrialOptions, settlement: Settlement, steps: number, missed: readonly string[]) {
    this.#world = world;
    this.waitsForReal = world.host.time.passesByItself === true;
    this.#options = options;
    this.#steps = steps;
    this.#missed = missed;
    this.history = world.recorder.historySoFar(settlement, steps, missed);
    this.#settled = { history: this.history, windowMs: 0 };
  }

  async settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }> {
    if (windowMs > this.#settled.windowMs && this.#takenOver === undefined) {
      const settlement = await settle(this.#world, {
        ...this.#options,
        settleWindowMs: windowMs,
        settleWindowsMax: LIVE_WINDOWS_MAX,
      });
      this.#settled = { windowMs, history: this.#soFar(settlement) };
    }
    return this.#settled;
  }

  async takeOver(): Promise<History> {
    if (this.#takenOver === undefined) {
      await retire(this.#world, this.#world.host.pace.graceMs.replaced);
      this.#world.incarnations.launch();
      this.#takenOver = this.#soFar(await settle(this.#world, this.#options));
    }
    return this.#takenOver;
  }

  #soFar(settlement: Settlement): History {
    return this.#world.recorder.historySoFar(settlement, this.#steps, this.#missed);
  }
}
