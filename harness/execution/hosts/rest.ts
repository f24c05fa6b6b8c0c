/** The interface between the drain and the detection of rest for process targets, in real time and with steered clocks. */
import type { Steering } from '../../actors/process/steering.ts';
import type { RunOnHost } from '../run/host.ts';

/** Real time in ms after which a silent server counts as unresponsive. */
export const UNANSWERED_MS = 30_000;

/**
 * What prevents rest although the target sleeps. `none`: nothing. `instant`: something that takes no run time, however much real time it
 * takes. `timed`: something for which run time may have to pass.
 */
export type Holdup = 'none' | 'instant' | 'timed';

export interface Rest {
  /**
   * Waits at most `withinMs` for the first request of a new incarnation; call the returned function when the incarnation has sent it or has
   * ended.
   */
  starting(withinMs: number): () => void;
  /** Watches an incarnation until the returned function is called. */
  watch(process: Watched): () => void;
  /** Call when the process receives something. */
  told(): void;
  /** Call when the process sends something. */
  acted(): void;
  /** Call when anything else has happened. */
  moved(): void;
  /** Adds a condition: the target is not at rest while `outside` returns a holdup other than `none`. */
  alsoWhile(outside: (run: RunOnHost) => Holdup): void;
  /**
   * Stops drains from waiting for new incarnations while `isDue` returns true: these may be unable to connect until something else has
   * happened.
   */
  startsAfter(isDue: () => boolean): void;
  /** Call when a program waits in a way that cannot be steered; `what` describes it. */
  lost(what: string): void;
  /** Resolves when the target is at rest. */
  drain(run: RunOnHost): Promise<void>;
}

/** An incarnation of the target, as seen by the detection of rest. */
export interface Watched {
  /** Absent before the process has started. */
  readonly pid: number | undefined;
  /** Increases with any traffic between the process and its front. */
  readonly moved: number;
  /** Steers the clock of the process; absent if the clock is real, and before the process has started. */
  readonly steering?: Steering | undefined;
  /** Whether the process is paused. */
  readonly isPaused?: boolean;
  /** Checks whether the process is ready, if that requires a request. Resolves to true if it made a request. */
  probe?(): Promise<boolean>;
}
