/** Does work in parallel, for targets that are separate processes and mostly wait. */

/**
 * Calls `work` for each element in order of arrival; every lane takes the next one as soon as it is free. Results are in the same order. If
 * a call throws, no lane takes another element, and the error is thrown once all lanes have finished.
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
