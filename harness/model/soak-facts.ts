/** Facts that a soak reports in addition to those of a campaign. */
export interface SoakFacts {
  readonly epochs: readonly string[];
  readonly shards: readonly string[];
  readonly batches: number;
  /** Batches that began and never ended: their findings are kept, their runs are not counted. */
  readonly cutShort: number;
  readonly failed: number;
  /** The number of distinct situations that occurred, and of those seen in a single batch only. */
  readonly situations: number;
  readonly situationsOnce: number;
  /** True if `distinctBehaviours` is an exact count, false if it is an estimate from a sample. */
  readonly behavioursExact: boolean;
  /** Shards that are missing or have not used up their budget. */
  readonly unfinished: readonly string[];
}
