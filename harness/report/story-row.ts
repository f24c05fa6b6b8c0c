/** The rows of a story, as data. Does not own: how they are made, or how they look. */
import type { ActorId } from '../model/actor.ts';
import type { DeviationRow } from './deviation-rows.ts';
import type { EventRow } from './event-rows.ts';

/** What an actor knew of an object before it acted, from a watch, a list or the time before contention. */
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
  /** `PUT 101 replicas=5`; for a read with its answer: `GET ➜ 101`. */
  readonly request: string;
  /** The same with nothing but the field that the violation is about, for narrow columns. */
  readonly short: string;
  /** What the server made of it: `102 replicas=5`, `409 Conflict`. Absent for reads, whose answer is in `request`. */
  readonly answer?: string;
  readonly guilty: boolean;
  /** A few words on why it matters. */
  readonly remark?: string;
  /** How far behind the actor was when it acted. */
  readonly stale?: string;
  /** Rows of one shape say the same of another moment: what cycles are found by. */
  readonly shape: string;
  /** Always shown; others may be folded. */
  readonly essential: boolean;
  readonly timeMs: number;
}

export interface FoldedRow {
  readonly row: 'folded';
  readonly at: number;
  readonly steps: number;
  /** Set when the steps repeat earlier rows: how often, over which time, and how many operation rows back the cycle is long. */
  readonly cycle?: { readonly rounds: number; readonly length: number; readonly overMs: number };
  /** Set when nothing happened for so long, in ms of run time; there are no steps then. */
  readonly waitMs?: number;
}

export type StoryRow = SeenRow | OperationRow | DeviationRow | EventRow | FoldedRow;
