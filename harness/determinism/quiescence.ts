/**
 * Quiescence: waits until the process is idle, so that the next decision depends on nothing but the run.
 *
 * One turn of real setImmediate lets every promise chain and every nextTick finish, streams included. Work that takes more turns is counted
 * where possible (immediates, requests in flight); where it cannot be counted (a native call inside a library), a drain waits for a few
 * quiet turns. `calibrate.ts` measures how many a target needs; client-node 2.0.1 needs none. Start at {@link createQuiescence}.
 */
import { HarnessError } from '../model/errors.ts';
import { realSetImmediate } from './real-time.ts';
import type { VirtualTime } from './virtual-time.ts';

/** If a drain takes more turns than this, the target never comes to rest: work other than timers and requests keeps it busy. */
const TURNS_MAX_DEFAULT = 20_000;
/** One more quiet turn than any measurement so far has found necessary. */
const QUIET_TURNS_DEFAULT = 1;

export interface QuiescenceOptions {
  readonly time: VirtualTime;
  /** Increases with every activity that is worth another turn: requests at the gate, body chunks read. */
  readonly activity: () => number;
  /** Returns the amount of work known to be in progress; the target is not at rest while it is above zero. */
  readonly inFlight?: () => number;
  /** Number of turns without activity to wait for; 0 if a drain may end after one turn even though there was activity in it. */
  readonly quietTurns?: number;
  readonly turnsMax?: number;
}

export interface Quiescence {
  /**
   * Resolves when the process is quiescent.
   *
   * @throws {HarnessError} TARGET_UNCONTROLLED if it never becomes quiescent.
   */
  drain(): Promise<void>;
  readonly time: VirtualTime;
  /** Number of turns without activity to wait for; `calibrate.ts` measures how many a target needs. */
  quietTurns: number;
  /** Called after each turn with the number of consecutive quiet turns, or -1 if work is known to be in progress; for measurements. */
  onTurn: ((quiet: number) => void) | undefined;
  /** Called when a drain begins; for measurements. */
  onDrain: (() => void) | undefined;
  /** Number of turns taken by all drains so far: the cost of draining. */
  readonly turns: number;
}

export function createQuiescence(options: QuiescenceOptions): Quiescence {
  return new TurnCounter(options);
}

class TurnCounter implements Quiescence {
  turns = 0;
  quietTurns: number;
  onTurn: ((quiet: number) => void) | undefined = undefined;
  onDrain: (() => void) | undefined = undefined;
  readonly time: VirtualTime;
  readonly #activity: () => number;
  readonly #inFlight: () => number;
  readonly #turnsMax: number;
  #lastActivity = 0;
  #quiet = 0;
  #taken = 0;
  #resolve: () => void = () => {};
  #reject: (error: Error) => void = () => {};

  constructor({ time, activity, inFlight, quietTurns, turnsMax }: QuiescenceOptions) {
    this.time = time;
    this.#activity = activity;
    this.#inFlight = inFlight ?? (() => 0);
    this.quietTurns = quietTurns ?? QUIET_TURNS_DEFAULT;
    this.#turnsMax = turnsMax ?? TURNS_MAX_DEFAULT;
  }

  drain(): Promise<void> {
    return new Promise(this.#start);
  }

  // These two are bound once: a drain follows every item, and allocating the closures each time shows in profiles.
  readonly #start = (resolve: () => void, reject: (error: Error) => void): void => {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#quiet = 0;
    this.#taken = 0;
    this.#lastActivity = this.#moved();
    if (this.onDrain !== undefined) this.onDrain();
    realSetImmediate(this.#turn);
  };

  readonly #turn = (): void => {
    this.turns++;
    const moved = this.#moved();
    const busy = this.time.pendingImmediates() > 0 || this.#inFlight() > 0;
    if (busy || moved !== this.#lastActivity) this.#quiet = 0;
    else this.#quiet++;
    this.#lastActivity = moved;
    if (this.onTurn !== undefined) this.onTurn(busy ? -1 : this.#quiet);
    if (!busy && this.#quiet >= this.quietTurns) this.#resolve();
    else if (++this.#taken > this.#turnsMax) this.#reject(neverAtRest(this.#turnsMax));
    else realSetImmediate(this.#turn);
  };

  #moved(): number {
    return this.time.activity + this.#activity();
  }
}

function neverAtRest(turns: number): HarnessError {
  return new HarnessError(
    'TARGET_UNCONTROLLED',
    `the target never came to rest: something still moved after ${turns} turns of the event loop without a timer or a request; ` +
      'look for a loop over setImmediate, or a promise that polls; a pause belongs into setTimeout',
  );
}
