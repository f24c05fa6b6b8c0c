/**
 * Thrown to end a run early, because it ran out of time or something other than the target does not respond. How the run would have continued
 * is unknown.
 */
export class CutShort extends Error {
  /** Whether the only reason is that the run's time is over. */
  readonly isTimeOver: boolean;

  constructor(why: string, isTimeOver = false) {
    super(why);
    this.name = 'CutShort';
    this.isTimeOver = isTimeOver;
  }
}

/** Handles an error in a `catch`: returns undefined if the run's time was over, and rethrows any other error. */
export function unlessTimeIsOver(error: unknown): undefined {
  if (!(error instanceof CutShort && error.isTimeOver)) throw error;
  return undefined;
}
