import type { DifferenceAt } from '../../fidelity/differential/compare.ts';

/** A difference between the answers of both servers, at one path. */
export interface Difference extends DifferenceAt {
  readonly project: string;
  readonly file: string;
  /** `apiVersion kind name`. */
  readonly object: string;
  readonly step: string;
  /** The outcome on each server: `201`, `422 Invalid`. */
  readonly answers: { readonly ours: string; readonly real: string };
}
