/** How long a target is given. Each mode has a pace of its own, and a run may be quicker. */

/** How long the target is given, in ms of run time: virtual time costs nothing, the wall's does. */
export interface Pace {
  /** Before contention the target must come to rest within this much time without activity. */
  readonly setupWindowMs: number;
  /** With nothing else to do, contention waits this long for back-offs under held streams before healing. */
  readonly contentionWaitMs: number;
  /** How long a watch that is down is waited for before a run may be called settled: longer than clients wait to reconnect. */
  readonly rewatchMs: number;
  /** The silence after which the first runs are taken to be over, until it is known how long the target pauses; absent: settings'. */
  readonly firstWindowMs?: number;
  /** A settling target is not called busy sooner: a client whose watch broke goes on with what it knew until it looks again. */
  readonly busyMs: number;
  /** No run is called settled after less silence than this, whatever the settings say. */
  readonly settleWindowMs: number;
  /** How long a reference run looks on at rest. */
  readonly idleMs: number;
  /** How long a suspect has to be silent before it is accused of what more time would fix. */
  readonly suspectMs: number;
  /** How long one has to be silent whose requests were refused again and again; absent where so much time is not to be had. */
  readonly backOffMs?: number;
  /** What `suspectMs` is for a finding that has been proven with that much time, when it is shrunk, reproduced or replayed. */
  readonly againMs: number;
  /** How long a target may take to become ready. */
  readonly readyWithinMs: number;
  /** How long one that can be asked to end may take when another takes its place, and at the end of a run. */
  readonly graceMs: { readonly replaced: number; readonly ended: number };
}
