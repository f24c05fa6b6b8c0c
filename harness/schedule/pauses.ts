/** How long a target is paused. */

/** A pause in ms, as a busy node or a language runtime's garbage collection may cause it; too short to lose a lock. */
export const SHORT_PAUSE_MS = 300;

/** Added to a lock's duration, in ms, so that another replica takes the lock during the pause: client-go polls every 2 s. */
const NOTICED_MS = 2_500;

/** Returns a pause long enough to lose a lock of this duration. */
export function longPauseMs(lockMs: number): number {
  return lockMs + NOTICED_MS;
}
