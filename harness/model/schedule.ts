/**
 * The schedule: the decisions of one run, as data.
 *
 * A schedule is a default order plus a sparse, labelled list of deviations. The same value drives the deterministic mode (where
 * every item waits for the scheduler) and the free-running one (where only the items named here wait).
 *
 * Default order, "run-to-completion": whatever is being run goes on; else the target's items in order of arrival; else the
 * environment controllers; else the user's next program operation, then that of each writer, one whole operation at a time;
 * else time passes to the earliest timer.
 */
import type { ActorId } from './actor.ts';
import { connectionText, type ConnectionFault } from './connection-fault.ts';
import type { Label } from './label.ts';

/** The task that lets virtual time pass to the earliest timer. */
export const TIME = 'time';

/**
 * A switch of actor: when the item labelled `before` is about to happen (or has just happened, for `after`), `run` acts first,
 * until its current program operation (one read-modify-write) completes, or up to and including the item labelled `until`. Time passes to
 * the earliest timer, or for `forMs`, to each that is due by then.
 */
export interface Preemption {
  readonly before?: Label;
  readonly after?: Label;
  readonly run: ActorId | typeof TIME;
  readonly until?: Label;
  readonly forMs?: number;
}

/**
 * A watch stream or item waits until the item labelled `until` has happened (or the heal phase). A watch stream: its events from number
 * `from` on, which is staleness. The label of a single request or answer: that item, with `from` `@0`; its actor's other requests
 * continue.
 */
export interface Hold {
  readonly stream: Label;
  /** `@k`: the first event held. */
  readonly from: string;
  readonly until: Label | 'heal';
}

/** What the gate may do to one item besides holding it. Only what Kubernetes permits: `oracle/assumptions.ts` checks it. */
export type FaultAction =
  | { readonly do: 'fail'; readonly status: 429 | 500 | 503 | 504; readonly retryAfterSeconds?: number }
  | { readonly do: 'refuse' } // connection refused: the server never sees the request
  | { readonly do: 'lose-response' } // the server commits, the actor sees a reset connection; in a watch: the stream is reset
  | { readonly do: 'close-watch' } // clean end of the stream instead of the event
  | { readonly do: 'expire-watch' } // in-stream 410 instead of the event: forces a relist
  | { readonly do: 'stale-list'; readonly behind: number } // a list at resourceVersion=0 answered from `behind` revisions ago
  | { readonly do: 'crash' } // the target's incarnation dies here and a new one starts
  | { readonly do: 'pause'; readonly forMs: number } // the target's process stands still here (SIGSTOP) for so much run time
  | { readonly do: 'start-replica' } // a second copy of the target starts here
  | { readonly do: 'delay'; readonly forMs: number } // it happens so much run time later; the target's own deadlines come first
  | ConnectionFault; // the connections themselves are disturbed from here on, for a while

export type FaultKind = FaultAction['do'];

/** Whether it is toxiproxy's doing rather than the gate's. */
export function isConnectionFault<F extends FaultAction>(fault: F): fault is F & ConnectionFault {
  return 'link' in fault;
}

/** `times`: the fault applies to this and the next occurrences of the same label, that many in all (default 1). */
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

/** A stored schedule whose labels were moved to other occurrences of the same requests, because the target was edited. */
export interface Reanchored {
  readonly schedule: Schedule;
  readonly moves: readonly { readonly from: Label; readonly to: Label }[];
}

/** How many deviations from the default order a schedule asks for. */
export function scheduleSize(schedule: Schedule): number {
  return schedule.preemptions.length + schedule.holds.length + schedule.faults.length;
}

/** One line that names a deviation, the same in reports and in counterfactuals. */
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
