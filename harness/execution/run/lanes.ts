/** Several runs at once, where each has a process of its own and waits most of the time. */

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
