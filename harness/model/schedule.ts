/**
 * The schedule: the decisions of one run, as data.
 *
 * A schedule is a default order plus a sparse list of labelled deviations. The same value drives the deterministic mode (where every item
 * waits for the scheduler) and the free-running one (where only the items named here wait).
 *
 * The default order, "run-to-completion": the running actor continues; else the target's items in order of arrival; else the environment
 * controllers; else the user's next program operation, then that of each writer, one whole operation at a time; else time passes to the
 * earliest timer.
 */
import type { ActorId } from './actor.ts';
import { connectionText, type ConnectionFault } from './connection-fault.ts';
import type { Label } from './label.ts';

/** The pseudo-actor that advances virtual time to the earliest timer. */
export const TIME = 'time';

/**
 * A switch of actor: before the item labelled `before` happens (or after it, for `after`), `run` acts until its current program operation
 * (one read-modify-write) completes, or up to and including the item labelled `until`. If `run` is time, it advances to the earliest timer,
 * or with `forMs` to every timer due by then.
 */
export interface Preemption {
  readonly before?: Label;
  readonly after?: Label;
  readonly run: ActorId | typeof TIME;
  readonly until?: Label;
  readonly forMs?: number;
}

/**
 * A watch stream or a single item that waits until the item labelled `until` has happened (or until the heal phase). If `stream` names a
 * watch stream, its events from number `from` on wait, which makes the actor's cache stale. If it names a request or an answer, that item
 * waits, and `from` is `@0`; other requests of its actor continue.
 */
export interface Hold {
  readonly stream: Label;
  /** `@k`: the first held event. */
  readonly from: string;
  readonly until: Label | 'heal';
}

/** What the gate may do to an item besides holding it. Only actions that Kubernetes permits, which `oracle/assumptions.ts` checks. */
export type FaultAction =
  | { readonly do: 'fail'; readonly status: 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  | { readonly do: 'refuse' } // connection refused: the server never sees the request
  | { readonly do: 'lose-response' } // the server commits, the actor sees a reset connection; for a watch: the stream is reset
  | { readonly do: 'close-watch' } // the stream ends cleanly instead of delivering the event
  | { readonly do: 'expire-watch' } // 410 in the stream instead of the event: forces a relist
  | { readonly do: 'stale-list'; readonly behind: number } // a list at resourceVersion=0 answered from `behind` revisions ago
  | { readonly do: 'crash' } // the target's incarnation dies here and a new one starts
  | { readonly do: 'pause'; readonly forMs: number } // the target's process is stopped here (SIGSTOP) for this much run time
  | { readonly do: 'start-replica' } // a second copy of the target starts here
  | { readonly do: 'delay'; readonly forMs: number } // the item happens this much run time later; deadlines of the target may expire first
  | ConnectionFault; // the connections themselves are disturbed from here on, for a while

export type FaultKind = FaultAction['do'];

/** Reports whether toxiproxy, rather than the gate, applies the fault. */
export function isConnectionFault<F extends FaultAction>(fault: F): fault is F & ConnectionFault {
  return 'link' in fault;
}

/** `times`: how many occurrences of the label the fault applies to, from this one on (default 1). */
export type Fault = FaultAction & { readonly at: Label; readonly times?: number };

export interface Schedule {
  readonly version: 1;
  readonly default: 'run-to-completion';
  readonly preemptions: readonly Preemption[];
  readonly holds: readonly Hold[];
  readonly faults: readonly Fault[];
}

export const EMPTY_SCHEDULE: Schedule = {
  version: 1,
  default: 'run-to-completion',
  preemptions: [],
  holds: [],
  faults: [],
};

/** A stored schedule whose labels were moved to other occurrences of the same requests after an edit of the target. */
export interface Reanchored {
  readonly schedule: Schedule;
  readonly moves: readonly { readonly from: Label; readonly to: Label }[];
}

/** Returns the number of deviations in a schedule. */
export function scheduleSize(schedule: Schedule): number {
  return schedule.preemptions.length + schedule.holds.length + schedule.faults.length;
}

/** Returns a one-line description of a deviation, the same in reports and in counterfactuals. */
export function deviationText(deviation: Preemption | Hold | Fault): string {
  if ('run' in deviation) {
    const where = deviation.before === undefined ? `after ${deviation.after ?? ''}` : `before ${deviation.before}`;
    const long = deviation.forMs === undefined ? '' : ` for ${deviation.forMs / 1000} s`;
    return `${where} run ${deviation.run}${long}${deviation.until === undefined ? '' : ` until ${deviation.until}`}`;
  }
  if ('stream' in deviation) return `${deviation.stream} from ${deviation.from} until ${deviation.until}`;
  if (isConnectionFault(deviation)) return `${connectionText(deviation)}, at ${deviation.at}`;
  const times = deviation.times === undefined || deviation.times === 1 ? '' : `, ${deviation.times} times`;
  if (deviation.do === 'fail') return `answer ${deviation.status} at ${deviation.at}${times}`;
  if (deviation.do === 'stale-list') {
    return `a list from ${deviation.behind} revisions ago at ${deviation.at}${times}`;
  }
  if (deviation.do === 'pause') return `pause for ${deviation.forMs} ms at ${deviation.at}${times}`;
  if (deviation.do === 'delay') return `${deviation.forMs / 1000} s late: ${deviation.at}${times}`;
  return `${deviation.do} at ${deviation.at}${times}`;
}
