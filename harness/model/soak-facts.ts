/** What a soak reports in addition to what any campaign reports. */
export interface SoakFacts {
  readonly epochs: readonly string[];
  readonly shards: readonly string[];
  readonly batches: number;
  /** Batches that were begun and never ended: what they found is kept, their runs are not counted. */
  readonly cutShort: number;
  readonly failed: number;
  /** Different situations that came up, and how many of them in a single batch only. */
  readonly situations: number;
  readonly situationsOnce: number;
  /** Whether `distinctBehaviours` was counted, or estimated from a sample. */
  readonly behavioursExact: boolean;
  /** What is still to come: shards that are missing, or have not used their budget. */
  readonly unfinished: readonly string[];
}
