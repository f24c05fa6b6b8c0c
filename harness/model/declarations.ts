/** Declarations of a project about fields, in addition to what is measured. */

/** A field of a kind, including everything below it. */
export interface DeclaredField {
  /** `deployments.apps` */
  readonly kind: string;
  /** `spec.replicas` */
  readonly field: string;
}

/** Declarations of a project about fields, in addition to what is measured. */
export interface Declarations {
  /** Fields shared with another party by agreement: the last writer wins. */
  readonly coOwned: readonly DeclaredField[];
  /** Fields that differ in every run by nature: never compared. */
  readonly volatile: readonly DeclaredField[];
}
