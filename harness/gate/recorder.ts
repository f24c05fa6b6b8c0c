/**
 * The recorder writes the history while a run goes on.
 *
 * Owns: ticks, record order, who made which revision. Does not own: what happens (the gate), what it means (oracles).
 */
import type { ActorId } from '../model/actor.ts';
import type {
  Decision,
  Delivery,
  History,
  Mark,
  Operation,
  Outcome,
  Phase,
  PhaseMark,
  ProcessEvent,
  ProcessEventKind,
  Revision,
  Settlement,
  StreamEnd,
} from '../model/history.ts';
import type { Label } from '../model/label.ts';
import type { Naming } from './naming.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An operation while it is under way. */
export type OpenOperation = Mutable<Operation> & { committed: number[] };

/** A change that the observed server committed. */
export type ObservedChange = Omit<Revision, keyof Mark | 'op' | 'actor'>;

/** Lines of the target's output kept per run. */
const LOG_LINES_MAX = 500;

export class Recorder {
  readonly operations: OpenOperation[] = [];
  readonly revisions: Revision[] = [];
  readonly deliveries: Delivery[] = [];
  readonly streamEnds: StreamEnd[] = [];
  readonly processes: ProcessEvent[] = [];
  readonly decisions: Decision[] = [];
  readonly phases: PhaseMark[] = [];
  readonly logs: NonNullable<History['logs']>[number][] = [];
  readonly #now: () => number;
  readonly #naming: Naming;
  #tick = 0;
  /** The operation that the server is acting on right now, and the canonical name its create asked for. */
  #acting: OpenOperation | undefined;
  #asked: string | undefined;
  #finished = false;

  /** `now` is run time in ms. */
  constructor(now: () => number, naming: Naming) {
    this.#now = now;
    this.#naming = naming;
  }

  mark(): { at: number; timeMs: number } {
    return { at: this.#tick++, timeMs: this.#now() };
  }

  phase(phase: Phase): void {
    this.phases.push({ phase, ...this.mark() });
  }

  /**
   * Contention begins: open streams go on under a new label, with what they delivered before numbered below zero; everything else
   * of the setup keeps a label of its own, so that labels name one thing in the whole history.
   */
  renumber(open: ReadonlyMap<Label, { readonly label: Label; readonly delivered: number }>): void {
    for (const delivery of this.deliveries as Mutable<Delivery>[]) {
      const now = open.get(delivery.stream);
      if (now !== undefined) delivery.k -= now.delivered;
      delivery.stream = now?.label ?? `${delivery.stream}!setup`;
    }
    for (const end of this.streamEnds as Mutable<StreamEnd>[]) end.stream = `${end.stream}!setup`;
    for (const operation of this.operations) {
      const now = operation.verb === 'watch' ? open.get(operation.label) : undefined;
      operation.label = now?.label ?? `${operation.label}!setup`;
    }
  }

  process(actor: ActorId, kind: ProcessEventKind, detail: string): void {
    this.processes.push({ actor, kind, detail, ...this.mark() });
  }

  /** A line that the target printed. Beyond a bound only the last lines of a chatty target would matter, and nobody reads those. */
  log(actor: ActorId, line: string): void {
    if (this.logs.length < LOG_LINES_MAX) this.logs.push({ actor, line, ...this.mark() });
  }

  decision(kind: Decision['kind'], label: Label, detail: string): void {
    this.decisions.push({ kind, label, detail, ...this.mark() });
  }

  /** Runs `act` with every committed change attributed to `operation`. */
  acting(operation: OpenOperation, asked: string | undefined, act: () => void): void {
    operation.sent = this.mark();
    this.#acting = operation;
    this.#asked = asked;
    try {
      act();
    } finally {
      this.#acting = undefined;
      this.#asked = undefined;
    }
  }

  /** Takes down a committed change. Changes outside any operation belong to the environment. */
  committed(change: ObservedChange): void {
    if (change.type === 'ADDED') this.#naming.learn(change.resource, change.object, this.#asked);
    const operation = this.#acting;
    operation?.committed.push(change.revision);
    const at = this.#tick++;
    this.revisions.push({
      at,
      timeMs: this.#now(),
      revision: change.revision,
      type: change.type,
      resource: change.resource,
      namespace: change.namespace,
      name: change.name,
      uid: change.uid,
      object: change.object,
      ...(change.before === undefined ? {} : { before: change.before }),
      op: operation?.id ?? -1,
      actor: operation?.actor ?? 'environment',
    });
  }

  answered(operation: OpenOperation, outcome: Outcome): void {
    if (this.#finished) return;
    operation.outcome = outcome;
    operation.answered = this.mark();
  }

  /** The finished history. Operations still open stay `pending`; the teardown that follows is no part of it. */
  history(settlement: Settlement, steps: number, missed: readonly Label[]): History {
    this.#finished = true;
    return {
      version: 1,
      phases: [...this.phases],
      operations: [...this.operations],
      revisions: [...this.revisions],
      deliveries: [...this.deliveries],
      streamEnds: [...this.streamEnds],
      processes: [...this.processes],
      decisions: [...this.decisions],
      settlement,
      steps,
      names: Object.fromEntries(this.#naming.byUid),
      missed,
      probes: [],
      ...(this.logs.length === 0 ? {} : { logs: [...this.logs] }),
    };
  }
}
