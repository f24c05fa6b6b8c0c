/**
 * How late a request, an answer or a watch event may come: after deadlines that the target has, and not later than on a real cluster.
 *
 * Pure. Owns: the lengths. Does not own: at which item (`search-scheduler.ts`, `execution/search/deviations.ts`), what time does meanwhile.
 */
import type { ItemKind } from '../model/item.ts';

/**
 * In turn past: the first retries of a client; a Lease of 15 s; a poll, and a requeue after half a minute; expectations, which controllers
 * give up after five minutes; a poll of five minutes, or a back-off of eight.
 */
const LENGTHS_MS: readonly number[] = [2_000, 16_000, 60_000, 310_000, 600_000];

/** kube-apiserver gives a request a minute (`--request-timeout`), and then answers 504 itself. */
export const ANSWER_MAX_MS = 60_000;

/** No event of a watch is later than that by default, whatever holds it back: watches end and are opened again every few minutes. */
export const LATE_MAX_MS = 600_000;

/** Lengths that a delay of such an item may have, the shortest first. */
export function delaysMs(kind: ItemKind): readonly number[] {
  return kind === 'event' ? LENGTHS_MS : LENGTHS_MS.filter((ms) => ms <= ANSWER_MAX_MS);
}

/** Round numbers, so that a story can be read. */
const SHORTER_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/** The next shorter one that is worth a try, if any. */
export function shorterDelayMs(forMs: number): number | undefined {
  return SHORTER_MS.findLast((ms) => ms < forMs);
}
