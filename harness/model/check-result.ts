/** What a property says about a history. Anything but `holds` and `violated` is not an opinion: inconclusive is never success. */
import type { Cause } from './cause.ts';
import type { ProbeRequest } from './probe.ts';

/** How a violation looks: what it is a violation of, and where it shows. Several may have one {@link Cause}. */
export interface Signature {
  /** `convergence`, `no-lost-update`, … */
  readonly property: string;
  /** The bug class within the property: `carried-back`, `self-triggered-writes`, … */
  readonly class: string;
  /** Roles of the actors involved, guilty first: `target`, `writer`, `user`. */
  readonly actors: readonly string[];
  /** `widgets.example.com`; empty when no object is involved. */
  readonly kind: string;
  /** Leaf pattern without list keys that vary; empty when no field is involved. */
  readonly field: string;
}

export interface Violation {
  readonly signature: Signature;
  /** One sentence that names the guilty write, the victim, the field and why the protocol let it through. */
  readonly sentence: string;
  /** Operation ids, guilty first. */
  readonly operations: readonly number[];
  /** Revisions that show it, in order. */
  readonly revisions: readonly number[];
  /** Tick after which nothing more is needed to see it. */
  readonly at: number;
  /** `warning`: worth telling, does not fail a run. */
  readonly severity: 'error' | 'warning';
  /** Properties leave it out: it is read off the run (`oracle/cause.ts`). Absent in files from before causes. */
  readonly cause?: Cause;
}

export type CheckResult =
  | { readonly result: 'holds' }
  | {
      readonly result: 'violated';
      readonly violations: readonly Violation[];
      /** Further runs that could still clear the target. Where none can be made, as of a stored run, the violations stand. */
      readonly needs?: readonly ProbeRequest[];
    }
  | { readonly result: 'inconclusive'; readonly reason: string; readonly needs?: readonly ProbeRequest[] };

export const HOLDS: CheckResult = { result: 'holds' };

/** One line that identifies a signature. */
export function signatureText(signature: Signature): string {
  return [signature.property, signature.class, signature.actors.join('+'), signature.kind, signature.field].join(' | ');
}
