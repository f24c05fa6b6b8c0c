/** What a project declares about fields, in addition to what is measured. */

/** A field of a kind, including everything below it. */
export interface DeclaredField {
  /** `deployments.apps` */
  readonly kind: string;
  /** `spec.replicas` */
  readonly field: string;
}

/** What a project declares about fields, in addition to what is measured. */
export interface Declarations {
  /** Fields shared with another party by agreement: the last writer wins. */
  readonly coOwned: readonly DeclaredField[];
  /** Fields whose values differ in every run; they are never compared. */
  readonly volatile: readonly DeclaredField[];
}
