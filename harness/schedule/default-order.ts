/**
 * The default order, "run-to-completion": what happens next unless a schedule says otherwise.
 *
 * Owns: the next item as a function of the pending items and the current run. `replay-scheduler.ts` adds a schedule's deviations,
 * `derive.ts` expresses a searched run as deviations from it.
 */
import type { ActorId } from '../model/actor.ts';
import { roleOf } from '../model/actor.ts';
import type { Item } from '../model/item.ts';
import type { Label } from '../model/label.ts';

const RANK = { target: 0, environment: 1, user: 2, writer: 3 } as const;

/** The actor that currently runs: until its operation completes, or up to and including one label. */
export interface CurrentRun {
  readonly actor: ActorId;
  readonly until?: Label | undefined;
  /** If the actor is time: how far it advances, in ms. */
  readonly forMs?: number | undefined;
}

/** Returns the label by which a hold names this item: its stream for a watch event, else its own label. */
export function holdKey(item: Item): Label {
  return item.kind === 'event' ? item.stream : item.label;
}

/** Reports whether the actor executes a program, one whole operation at a time. */
export function hasProgram(actor: ActorId): boolean {
  return RANK[roleOf(actor)] >= RANK.user;
}

/** Returns the next item of a run: the item that ends the run if it is pending, else the oldest item of the run's actor. */
export function itemOfRun(items: readonly Item[], run: CurrentRun): Item | undefined {
  let own: Item | undefined;
  for (const item of items) {
    if (run.until !== undefined && item.label === run.until) return item;
    if (own === undefined && item.actor === run.actor) own = item;
  }
  return own;
}

/**
 * Returns the item that the default order chooses: the target's first, then those of the environment, of the user, and of the writers by
 * name; each in order of arrival.
 */
export function defaultItem(items: readonly Item[]): Item | undefined {
  let best: Item | undefined;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const rank = RANK[roleOf(item.actor)];
    if (
      rank < bestRank ||
      (rank === RANK.writer && rank === bestRank && best !== undefined && item.actor < best.actor)
    ) {
      best = item;
      bestRank = rank;
    }
  }
  return best;
}
