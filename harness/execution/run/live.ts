import type { History } from '../../model/history.ts';

/** A run that was left alone. */
export interface LeftAlone {
  readonly history: History;
  /** The run time in ms that passed. */
  readonly ms: number;
  /** The number of revisions before that time. */
  readonly revisions: number;
}

/** A run at rest that has not been torn down, for targets whose runs cannot be repeated: it is examined while it is open. */
export interface Live {
  /** The history as if the run had ended when it first came to rest. */
  readonly history: History;
  /** Continues until the run has been silent for `windowMs` of run time; a window shorter than a previous one returns the known result. */
  settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }>;
  /** Replaces the incarnation with a fresh one and settles; the previous incarnation cannot be probed after that. */
  takeOver(): Promise<History>;
  /**
   * Observes what the target does by itself when left alone for hours. `waitsMs` contains waits in ms, one for each selected action of the
   * target; each wait ends before its action.
   */
  lookOn(): Promise<{ readonly history: History; readonly waitsMs: readonly number[] }>;
  /**
   * Lets `ms` of run time pass with nothing to do, or less if the target is too busy to be observed for that long, and settles again.
   * Undefined if the target has been replaced.
   */
  leaveAlone(ms: number): Promise<LeftAlone | undefined>;
  /** Lets another `ms` of run time pass with nothing to do, and settles again. */
  liveOn(ms: number): Promise<History>;
  /** Whether waiting takes real time. */
  readonly waitsForReal: boolean;
}
