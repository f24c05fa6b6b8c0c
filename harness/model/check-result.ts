/** What a property says about a history. Anything but `holds` and `violated` is not an opinion: inconclusive is never success. */
import type { Signature } from './signature.ts';
import type { Cause } from './cause.ts';
import type { ProbeRequest } from './probe.ts';

export interface Violation {
  readonly signature: Signature;
  /** One sentence that names the guilty write, the victim, the field and why the protocol allowed it. */
  readonly sentence: string;
  /** Operation ids, guilty first. */
  readonly operations: readonly number[];
  /** Revisions that show it, in order. */
  readonly revisions: readonly number[];
  /** Tick by which the violation is visible. */
  readonly at: number;
  /** `warning`: reported, does not fail a run. */
  readonly severity: 'error' | 'warning';
  /** Not set by properties: it is derived from the run (`oracle/cause.ts`). Absent in files from before causes. */
  readonly cause?: Cause;
}

export type CheckResult =
  | { readonly result: 'holds' }
  | {
      readonly result: 'violated';
      readonly violations: readonly Violation[];
      /** Further runs that could still refute the violations. If none can be made, as for a stored run, the violations are final. */
      readonly needs?: readonly ProbeRequest[];
    }
  | { readonly result: 'inconclusive'; readonly reason: string; readonly needs?: readonly ProbeRequest[] };

export const HOLDS: CheckResult = { result: 'holds' };
