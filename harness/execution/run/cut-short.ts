/** Thrown to end a run early because something other than the target does not respond: how the run would have continued is unknown. */
export class CutShort extends Error {
  /** Whether the only reason is that the time is over. */
  readonly isTimeOver: boolean;

  constructor(why: string, isTimeOver = false) {
    super(why);
    this.name = 'CutShort';
    this.isTimeOver = isTimeOver;
  }
}

/** For `catch`: returns undefined if the time was over, and rethrows everything else. */
export function unlessTimeIsOver(error: unknown): undefined {
  if (!(error instanceof CutShort && error.isTimeOver)) throw error;
  return undefined;
}
