/** Several runs at once, where each has a process of its own and waits most of the time. */

/** Does `work` for each, in order of arrival; every lane takes the next one as soon as it is free. The answers keep their order. */
export async function inLanes<L, T, R>(
  lanes: readonly L[],
  each: Iterable<T>,
  work: (lane: L, of: T) => Promise<R>,
): Promise<readonly R[]> {
  const answers: R[] = [];
  const queue = each[Symbol.iterator]();
  let next = 0;
  const serve = async (lane: L): Promise<void> => {
    for (let of = queue.next(); of.done !== true; of = queue.next()) {
      const at = next++;
      answers[at] = await work(lane, of.value);
    }
  };
  await Promise.all(lanes.map(serve));
  return answers;
}
