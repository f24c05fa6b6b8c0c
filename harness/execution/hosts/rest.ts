/** Whether a target that is a process is at rest: what whoever drains a run has to be told, on the wall's clock and on a steered one. */
import type { Steering } from '../../actors/process/steering.ts';
import type { RunOnHost } from '../run/host.ts';

/** A server that has not answered for so long, with nothing else going on, will not. */
export const UNANSWERED_MS = 30_000;

/**
 * What keeps rest away although the target sleeps: nothing; something that takes no time of the run, however long it really takes; or
 * something for which time may have to pass.
 */
export type Holdup = 'none' | 'instant' | 'timed';

export interface Rest {
  /** A life begins; the returned function says that it is there, or gone. One that has sent nothing within that time is not waited for. */
  starting(withinMs: number): () => void;
  /** A life is looked at until the returned function is called. */
  watch(process: Watched): () => void;
  /** The process was told something. */
  told(): void;
  /** The process sends something. */
  acted(): void;
  /** Something else has happened. */
  moved(): void;
  /** Rest has not come as long as `outside` says so. */
  alsoWhile(outside: (run: RunOnHost) => Holdup): void;
  /** A life that begins is not waited for while `isDue`: something has to happen first, or it may reach nobody. */
  startsAfter(isDue: () => boolean): void;
  /** A program waits in a way that is not steered. */
  lost(what: string): void;
  /** Resolves when nothing moves any more. */
  drain(run: RunOnHost): Promise<void>;
}

/** A life of the target, as it is looked at. */
export interface Watched {
  /** Absent before it was started. */
  readonly pid: number | undefined;
  /** Grows with all that moves between it and its front. */
  readonly moved: number;
  /** By which its clock is steered, where it is; absent before it was started. */
  readonly steering?: Steering | undefined;
  /** It was made to stand still. */
  readonly isPaused?: boolean;
  /** Asks it whether it is ready by now, where that takes a question. Resolves with whether it was asked. */
  probe?(): Promise<boolean>;
}
