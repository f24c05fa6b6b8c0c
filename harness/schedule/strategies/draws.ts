/** The random generator of the strategies. `determinism/random.ts` implements it. */
export interface Draws {
  /** Uniform in 0 … n-1. */
  int(n: number): number;
  /** Uniform in [0, 1). */
  float(): number;
}
