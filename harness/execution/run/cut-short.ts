/** The end of a run in which something beside the target does not answer any more: nothing can be said of how it would have gone on. */
export class CutShort extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'CutShort';
  }
}
