/** The result of checking a property. Only `holds` and `violated` are conclusive: inconclusive is never success. */
import type { Signature } from './signature.ts';
import type { Cause } from './cause.ts';
import type { ProbeRequest } from './probe.ts';

export interface Violation {
  readonly signature: Signature;
  /** One sentence that names the guilty write, the victim, the field and why the protocol allowed it. */
  readonly sentence: string;
  /** Operation ids, guilty first. */
  readonly operations: readonly number[];
  /** Revisions that show the violation, in order. */
  readonly revisions: readonly number[];
  /** The tick at which the violation is first visible. */
  readonly at: number;
  /** `warning`: reported, does not fail a run. */
  readonly severity: 'error' | 'warning';
  /** Properties do not set it: `oracle/cause.ts` derives it from the run. Absent in files that were written before causes existed. */
  readonly cause?: Cause;
}

export type CheckResult =
  | { readonly result: 'holds' }
  | {
      readonly result: 'violated';
      readonly violations: readonly Violation[];
      /** Further runs that could refute the violations. If none can be made, as for a stored run, the violations are final. */
      readonly needs?: readonly ProbeRequest[];
      /**
       * For errors about the final state: the kinds of the differences that were found. The rest of the search makes no further probes for
       * them.
       */
      readonly convicted?: readonly string[];
    }
  | { readonly result: 'inconclusive'; readonly reason: string; readonly needs?: readonly ProbeRequest[] };

export const HOLDS: CheckResult = { result: 'holds' };
