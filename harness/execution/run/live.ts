import type { History } from '../../model/history.ts';

/** A run at rest that has not been torn down: what cannot be repeated is examined now. */
export interface Live {
  /** As if the run had ended when it first came to rest. */
  readonly history: History;
  /** The same run after so much more silence, in ms of run time; asking for less than before gives what is known. */
  settleOn(windowMs: number): Promise<{ readonly history: History; readonly windowMs: number }>;
  /** A fresh incarnation takes over and settles; nothing can be asked of the one before after that. */
  takeOver(): Promise<History>;
  /** What the target does by itself when it is left alone for hours, and how long to wait so that the next of that is another one. */
  lookOn(): Promise<{ readonly history: History; readonly waitsMs: readonly number[] }>;
  /** The same run after so much more run time with nothing to do, and another rest. */
  liveOn(ms: number): Promise<History>;
  /** Whether silence takes as long as it says. */
  readonly waitsForReal: boolean;
}
