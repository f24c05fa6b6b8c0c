/** Suggests which of several words a mistyped word probably means, for messages. Pure. */

/** Returns the edit distance: the number of letters to insert, delete or replace. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const letter of one) {
    let diagonal = row[0] ?? 0;
    const next = [diagonal + 1];
    for (let at = 1; at <= other.length; at++) {
      const above = row[at] ?? 0;
      next.push(Math.min(above + 1, (next[at - 1] ?? 0) + 1, diagonal + (other[at - 1] === letter ? 0 : 1)));
      diagonal = above;
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The largest edit distance that still counts as a typo. */
const FAR = 3;

/** Returns the choice with the smallest edit distance, the first one if several are equally close; undefined if none is close. */
export function nearestOf(word: string, choices: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = FAR + 1;
  for (const choice of choices) {
    const distance = editDistance(word, choice);
    if (distance < least) [nearest, least] = [choice, distance];
  }
  return nearest;
}

/** Returns the end of a message about an unknown word, `; did you mean "budget"?`; empty if no choice is close. */
export function meantText(word: string, choices: readonly string[]): string {
  const nearest = nearestOf(word, choices);
  return nearest === undefined ? '' : `; did you mean "${nearest}"?`;
}
