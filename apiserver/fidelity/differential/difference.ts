/** Where the embedded server and a real one answer differently. */
import type { DifferenceAt } from './compare.ts';
import type { Operation } from './operation.ts';

export interface Difference extends DifferenceAt {
  /** Identifies the class of the difference: verb, family, patch type, subresource and path. */
  readonly key: string;
  readonly kind: string;
  readonly operation: Operation | undefined;
  /** The number of steps that reproduce it. */
  readonly steps: number;
  /** The outcome on each server: `422 Invalid`. */
  readonly answers: { readonly ours: string; readonly real: string };
}
