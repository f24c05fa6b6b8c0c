/** Decides whether a target that is a process is at rest: the interface to the drain, for real time and steered clocks. */
import type { Steering } from '../../actors/process/steering.ts';
import type { RunOnHost } from '../run/host.ts';

/** Real time in ms after which a silent server counts as unresponsive. */
export const UNANSWERED_MS = 30_000;

/**
 * What prevents rest although the target sleeps: `none` if nothing does; `instant` if it takes no run time, however much real time it
 * takes; `timed` if run time may have to pass.
 */
export type Holdup = 'none' | 'instant' | 'timed';

export interface Rest {
  /** Waits at most that long for a new incarnation's first request; call the returned function when it has sent one or is gone. */
  starting(withinMs: number): () => void;
  /** Watches an incarnation until the returned function is called. */
  watch(process: Watched): () => void;
  /** Call when the process receives something. */
  told(): void;
  /** Call when the process sends something. */
  acted(): void;
  /** Call when anything else has happened. */
  moved(): void;
  /** Adds a condition: there is no rest as long as `outside` returns a holdup. */
  alsoWhile(outside: (run: RunOnHost) => Holdup): void;
  /** Stops drains from waiting for new incarnations while `isDue`: until something else has happened, they may be unable to connect. */
  startsAfter(isDue: () => boolean): void;
  /** Call when a program waits in a way that cannot be steered; `what` says how. */
  lost(what: string): void;
  /** Resolves once nothing moves any more. */
  drain(run: RunOnHost): Promise<void>;
}

/** An incarnation of the target as watched for rest. */
export interface Watched {
  /** Absent before the process has started. */
  readonly pid: number | undefined;
  /** Increases with all traffic between the process and its front. */
  readonly moved: number;
  /** Steers the clock of the process; absent if that is not steered, and before the process has started. */
  readonly steering?: Steering | undefined;
  /** Whether the process is paused. */
  readonly isPaused?: boolean;
  /** Checks whether the process is ready, if that takes a request. Resolves to true if a request was made. */
  probe?(): Promise<boolean>;
}
