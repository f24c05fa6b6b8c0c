import type { History } from '../../model/history.ts';

/** A run at rest that has not been torn down, for targets whose runs cannot be repeated: it is examined while it is open. */
export interface Live {
  /** The history as if the run had ended when it first came to rest. */
  readonly history: History;
  /** Continues the run until it has been silent for that long, in ms of run time; a shorter window than before returns the known result. */
  settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }>;
  /** Replaces the incarnation with a fresh one and settles; the previous incarnation cannot be probed after that. */
  takeOver(): Promise<History>;
  /**
   * Observes what the target does by itself when left alone for hours. `waitsMs` are waits that each end just before a different such
   * action.
   */
  lookOn(): Promise<{ readonly history: History; readonly waitsMs: readonly number[] }>;
  /** Lets that much more run time pass with nothing to do, and settles again. */
  liveOn(ms: number): Promise<History>;
  /** Whether waiting takes real time. */
  readonly waitsForReal: boolean;
}
