export interface BuildPlace {
  /** The language's folder under controllers-under-test. */
  readonly sources: string;
  /** Empty; what `{built}` stands for in the catalogue, under another name until the build has succeeded. */
  readonly out: string;
  /** Kept from build to build, for what a compiler can use again. */
  readonly scratch: string;
  readonly log: string;
}
