/** How long a target may stand still. */

/** As a busy node or a collector of garbage may hold up a process: no lock is lost by it. */
export const SHORT_PAUSE_MS = 300;

/** How much longer than a lock is good for: another replica has to notice. client-go looks every 2 s. */
const NOTICED_MS = 2_500;

/** Long enough to lose a lock that is good for so long. */
export function longPauseMs(lockMs: number): number {
  return lockMs + NOTICED_MS;
}
