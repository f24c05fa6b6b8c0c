/** The time limits of a run. Each run mode has its own; a single run may shorten them. */

/** The time that the target is given, in ms of run time. Virtual time is free, real time is not. */
export interface Pace {
  /** The time without activity after which the target counts as at rest before contention. */
  readonly setupWindowMs: number;
  /**
   * How long an idle contention phase waits for the target's back-offs, while watch streams are still held, before the faults are healed.
   */
  readonly contentionWaitMs: number;
  /** How long to wait for a broken watch to be reopened before a run may count as settled: longer than clients wait to reconnect. */
  readonly rewatchMs: number;
  /**
   * The silence after which the first runs count as settled, until the target's pauses have been measured; default: the `settleWindowMs`
   * setting.
   */
  readonly firstWindowMs?: number;
  /**
   * How long a target may take to settle before it can count as busy: a client with a broken watch acts on stale state until it relists.
   */
  readonly busyMs: number;
  /** The minimum silence before a run counts as settled, whatever the settings. */
  readonly settleWindowMs: number;
  /** How long a reference run is observed at rest. */
  readonly idleMs: number;
  /** How long a suspect must be silent before a violation is reported that more time might fix. */
  readonly suspectMs: number;
  /** `suspectMs` for a suspect whose requests were rejected repeatedly; absent if that would take too long. */
  readonly backOffMs?: number;
  /** How long a suspect is left alone, to see whether a resync or poll corrects it; absent if that would take too long. */
  readonly aloneMs?: number;
  /** `suspectMs` for a finding that was already proven with that much time, while it is shrunk, reproduced or replayed. */
  readonly againMs: number;
  /** How long a target may take to become ready. */
  readonly readyWithinMs: number;
  /** How long an incarnation may take to exit when asked to: `replaced` when it is replaced, `ended` at the end of a run. */
  readonly graceMs: { readonly replaced: number; readonly ended: number };
}
