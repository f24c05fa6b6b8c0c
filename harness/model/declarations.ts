/** What a project says of fields, beside what is measured. */

/** A field of a kind, with all below it. */
export interface DeclaredField {
  /** `deployments.apps` */
  readonly kind: string;
  /** `spec.replicas` */
  readonly field: string;
}

/** What a project says of fields, beside what is measured. */
export interface Declarations {
  /** Shared with another party by agreement: whoever writes last is right. */
  readonly coOwned: readonly DeclaredField[];
  /** Different in every run by nature: never compared. */
  readonly volatile: readonly DeclaredField[];
}
