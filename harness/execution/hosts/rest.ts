/** Decides whether a target that is a process is at rest: the interface to the drain, for real time and steered clocks. */
import type { Steering } from '../../actors/process/steering.ts';
import type { RunOnHost } from '../run/host.ts';

/** Real time in ms after which a silent server counts as not answering. */
export const UNANSWERED_MS = 30_000;

/**
 * Why there is no rest although the target sleeps: `none`; `instant` for something that takes no run time, however long it really takes;
 * `timed` for something that may need run time to pass.
 */
export type Holdup = 'none' | 'instant' | 'timed';

export interface Rest {
  /** Waits for a new incarnation, at most that long for its first request; call the returned function when it has sent one or is gone. */
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
  /** Makes new incarnations not be waited for while `isDue`: something else has to happen first, or they may be unable to connect. */
  startsAfter(isDue: () => boolean): void;
  /** Call when a program waits in a way that is not steered. */
  lost(what: string): void;
  /** Resolves once nothing moves any more. */
  drain(run: RunOnHost): Promise<void>;
}

/** An incarnation of the target as watched for rest. */
export interface Watched {
  /** Absent before it has started. */
  readonly pid: number | undefined;
  /** Increases with all traffic between it and its front. */
  readonly moved: number;
  /** Steers its clock, if it is steered; absent before it has started. */
  readonly steering?: Steering | undefined;
  /** Whether it is paused. */
  readonly isPaused?: boolean;
  /** Probes whether it is ready, if that needs a request. Resolves with whether a request was made. */
  probe?(): Promise<boolean>;
}
