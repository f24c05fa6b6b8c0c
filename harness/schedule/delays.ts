/**
 * How long a request, an answer or a watch event can be delayed: beyond the target's deadlines, but no longer than on a real cluster.
 *
 * Pure. Owns: the durations. Does not own: at which item (`search-scheduler.ts`, `execution/search/deviations.ts`), how time passes during
 * a delay.
 */
import type { ItemKind } from '../model/item.ts';

/**
 * Each delay exceeds a typical deadline: the first retries of a client; a Lease of 15 s; a poll, and a requeue after half a minute;
 * expectations, which controllers drop after five minutes; a poll of five minutes, or a back-off of eight.
 */
const LENGTHS_MS: readonly number[] = [2_000, 16_000, 60_000, 310_000, 600_000];

/** kube-apiserver's default `--request-timeout`, after which it answers 504 itself. */
export const ANSWER_MAX_MS = 60_000;

/** The longest default delay of a watch event: watches are closed and reopened every few minutes, so no event can be later. */
export const LATE_MAX_MS = 600_000;

/** Returns the possible delays of an item of this kind, in ms, shortest first. */
export function delaysMs(kind: ItemKind): readonly number[] {
  return kind === 'event' ? LENGTHS_MS : LENGTHS_MS.filter((ms) => ms <= ANSWER_MAX_MS);
}

/** The delays to shrink to: round numbers, for readable stories. */
const SHORTER_MS: readonly number[] = [1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/** Returns the next shorter delay to try, if any. */
export function shorterDelayMs(forMs: number): number | undefined {
  return SHORTER_MS.findLast((ms) => ms < forMs);
}
