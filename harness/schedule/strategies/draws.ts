/** The random generator of the strategies. `determinism/random.ts` implements it. */
export interface Draws {
  /** Returns an integer, uniform in 0 … n-1. */
  int(n: number): number;
  /** Returns a number, uniform in [0, 1). */
  float(): number;
}
