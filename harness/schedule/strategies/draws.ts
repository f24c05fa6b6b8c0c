/** What the strategies need of a random generator. `determinism/random.ts` provides it. */
export interface Draws {
  /** Uniform in 0 … n-1. */
  int(n: number): number;
  /** Uniform in [0, 1). */
  float(): number;
}
