/** The end of a run in which something beside the target does not answer any more: nothing can be said of how it would have gone on. */
export class CutShort extends Error {
  /** Whether nothing is wrong but that the time is over. */
  readonly isTimeOver: boolean;

  constructor(why: string, isTimeOver = false) {
    super(why);
    this.name = 'CutShort';
    this.isTimeOver = isTimeOver;
  }
}

/** For `catch`: undefined where the time was over. */
export function unlessTimeIsOver(error: unknown): undefined {
  if (!(error instanceof CutShort && error.isTimeOver)) throw error;
  return undefined;
}
