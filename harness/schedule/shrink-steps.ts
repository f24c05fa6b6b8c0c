/**
 * One stage of shrinking a list: delta debugging (ddmin) as a lazy sequence of candidates.
 *
 * After each candidate the consumer reports whether it still fails; then the generator continues from the smaller list. The result is
 * 1-minimal: without any single element the failure disappears.
 */

/**
 * Yields candidate lists; `next(true)` means that the candidate still fails and becomes the new list. Returns the smallest failing list.
 */
export function* ddmin<T>(list: readonly T[]): Generator<readonly T[], readonly T[], boolean> {
  let current = list;
  if (current.length > 0 && (yield [])) return [];
  let chunks = 2;
  while (current.length >= 2) {
    const size = Math.ceil(current.length / chunks);
    let reduced = false;
    for (let start = 0; start < current.length; start += size) {
      const part = current.slice(start, start + size);
      if (chunks === 2 || part.length === 1 ? false : yield part) {
        current = part;
        chunks = 2;
        reduced = true;
        break;
      }
      const rest = [...current.slice(0, start), ...current.slice(start + size)];
      if (rest.length > 0 && (yield rest)) {
        current = rest;
        chunks = Math.max(2, chunks - 1);
        reduced = true;
        break;
      }
    }
    if (reduced) continue;
    if (size === 1) break;
    chunks = Math.min(current.length, chunks * 2);
  }
  return current;
}
