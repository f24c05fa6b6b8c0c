export interface BuildPlace {
  /** The language's folder under controllers-under-test. */
  readonly sources: string;
  /** Empty; replaces `{built}` in the catalogue. It has a temporary name until the build has succeeded. */
  readonly out: string;
  /** Kept between builds, for files that a compiler can reuse. */
  readonly scratch: string;
  readonly log: string;
}
