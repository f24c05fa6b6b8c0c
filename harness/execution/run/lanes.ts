/** Several runs at once, where each has a process of its own and waits most of the time. */

/** However many processors there are: each has a process of its own. */
const LANES_MAX = 4;

/**
 * How many runs go on at once. In real time a process waits most of the time, and needs no processor then; in virtual time it hardly does,
 * and several on one processor only take its caches from each other. One more fills the moments in which nobody computes.
 */
export function laneCount(processors: number, isVirtual: boolean): number {
  return Math.min(LANES_MAX, isVirtual ? processors + 1 : 2 * processors);
}

/**
 * Does `work` for each, in order of arrival; every lane takes the next one as soon as it is free. The answers keep their order. When one
 * throws, no lane takes another, and that is thrown as soon as all have come to an end.
 */
export async function inLanes<L, T, R>(
  lanes: readonly L[],
  each: Iterable<T>,
  work: (lane: L, of: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  const queue = each[Symbol.iterator]();
  let next = 0;
  let broken: { readonly by: unknown } | undefined;
  const serve = async (lane: L): Promise<void> => {
    for (let of = queue.next(); of.done !== true && broken === undefined; of = queue.next()) {
      const at = next++;
      try {
        answers[at] = await work(lane, of.value);
      } catch (error) {
        broken ??= { by: error };
      }
    }
  };
  await Promise.all(lanes.map(serve));
  if (broken !== undefined) throw broken.by;
  return answers;
}
