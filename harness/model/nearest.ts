/** Suggests the known name that a mistyped name probably means. */

/** The largest edit distance that still counts as a typo. */
const FAR = 3;

/** Returns the known name closest to `name`; undefined if none is close. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known.map((other) => ({ other, far: distance(name, other) })).sort((a, b) => a.far - b.far);
  return nearest === undefined || nearest.far > FAR ? undefined : nearest.other;
}

/** Returns the edit distance: the number of letters to change, insert or delete. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const [up = 0, left = 0, corner = 0] = [row[j + 1], next[j], row[j]];
      next.push(Math.min(up + 1, left + 1, corner + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
