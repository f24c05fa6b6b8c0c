/** The rows of a story, as data. Does not own: how they are made or displayed. */
import type { ActorId } from '../model/actor.ts';
import type { DeviationRow } from './deviation-rows.ts';
import type { EventRow } from './event-rows.ts';

/** The version of an object that an actor had received before it acted, from a watch, a list or the time before contention. */
export interface SeenRow {
  readonly row: 'seen';
  readonly at: number;
  readonly actor: ActorId;
  readonly text: string;
}

export interface OperationRow {
  readonly row: 'operation';
  readonly at: number;
  readonly actor: ActorId;
  /** Operation id in the history. */
  readonly id: number;
  /** For example `PUT 101 replicas=5`; a read includes its answer: `GET ➜ 101`. */
  readonly request: string;
  /** The request with the violation's field only, for narrow columns. */
  readonly short: string;
  /** The server's answer: `102 replicas=5`, `409 Conflict`. Absent for reads, whose answer is in `request`. */
  readonly answer?: string;
  readonly guilty: boolean;
  /** Why the request matters, in a few words. */
  readonly remark?: string;
  /** How far behind the actor was when it acted. */
  readonly stale?: string;
  /** A text that is equal for rows of the same step at different moments, used to detect cycles. */
  readonly shape: string;
  /** Whether the row is always shown; the rest may be folded. */
  readonly essential: boolean;
  readonly timeMs: number;
}

export interface FoldedRow {
  readonly row: 'folded';
  readonly at: number;
  readonly steps: number;
  /** Set if the steps repeat earlier rows: how often, how long the cycle is in operation rows, and for how many ms. */
  readonly cycle?: { readonly rounds: number; readonly length: number; readonly overMs: number };
  /** Set if nothing happened for this long, in ms of run time; such a row has no steps. */
  readonly waitMs?: number;
}

export type StoryRow = SeenRow | OperationRow | DeviationRow | EventRow | FoldedRow;
