/** Identifies a symptom: the property and where it is violated. Several symptoms may have one cause. */
export interface Signature {
  /** `convergence`, `no-lost-update`, … */
  readonly property: string;
  /** The bug class within the property: `carried-back`, `self-triggered-writes`, … */
  readonly class: string;
  /** Roles of the actors involved, guilty first: `target`, `writer`, `user`. */
  readonly actors: readonly string[];
  /** `widgets.example.com`; empty when no object is involved. */
  readonly kind: string;
  /** The leaf pattern without list keys that vary between runs; empty if no field is involved. */
  readonly field: string;
}

/** Returns one line that identifies a signature. */
export function signatureText(signature: Signature): string {
  return [signature.property, signature.class, signature.actors.join('+'), signature.kind, signature.field].join(' | ');
}
