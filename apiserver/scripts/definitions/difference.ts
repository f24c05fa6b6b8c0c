import type { Place } from '../../fidelity/differential/compare.ts';

/** An answer that is not the same on both servers, at one place. */
export interface Difference extends Place {
  readonly project: string;
  readonly file: string;
  /** `apiVersion kind name`. */
  readonly object: string;
  readonly step: string;
  /** `201`, `422 Invalid`. */
  readonly answers: { readonly ours: string; readonly real: string };
}
