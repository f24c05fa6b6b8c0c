/**
 * The recorder writes the history during a run.
 *
 * Owns: ticks, record order, the operation behind each revision. Does not own: what happens (the gate), what it means (oracles).
 */
import type { ActorId } from '../model/actor.ts';
import { invariant } from '../model/errors.ts';
import type {
  Decision,
  Delivery,
  History,
  Mark,
  Measurement,
  Operation,
  Outcome,
  Phase,
  PhaseMark,
  ProcessEvent,
  ProcessEventKind,
  Reading,
  Revision,
  Settlement,
  StreamEnd,
} from '../model/history.ts';
import type { Label } from '../model/label.ts';
import { LogBook } from './log-book.ts';
import type { Naming } from './naming.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** An operation in progress. */
export type OpenOperation = Mutable<Operation> & { committed: number[] };

/** A change committed by the observed server. */
export type ObservedChange = Omit<Revision, keyof Mark | 'op' | 'actor'>;

export class Recorder {
  readonly operations: OpenOperation[] = [];
  readonly revisions: Revision[] = [];
  readonly deliveries: Delivery[] = [];
  readonly streamEnds: StreamEnd[] = [];
  readonly processes: ProcessEvent[] = [];
  readonly decisions: Decision[] = [];
  readonly phases: PhaseMark[] = [];
  readonly measurements: Measurement[] = [];
  readonly #logs = new LogBook();
  readonly #now: () => number;
  readonly #naming: Naming;
  #tick = 0;
  /** The operation that the server is executing right now, and the canonical name for its create. */
  #acting: OpenOperation | undefined;
  #asked: string | undefined;
  #finished = false;

  /** @param now - Returns the run time in ms. */
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
   * Called when contention begins: open streams continue under a new label, with their earlier deliveries numbered below zero; the labels
   * of other operations of the setup end in `!setup`, so that a label is unique in the whole history.
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

  /** Records a measurement of a process. */
  measured(actor: ActorId, when: Measurement['when'], reading: Reading): void {
    this.measurements.push({ actor, when, ...reading, ...this.mark() });
  }

  /** Records a line that the target printed. */
  log(actor: ActorId, line: string): void {
    this.#logs.add(actor, line, this.mark());
  }

  decision(kind: Decision['kind'], label: Label, detail: string): void {
    this.decisions.push({ kind, label, detail, ...this.mark() });
  }

  /**
   * Runs `act`, attributing every change that is committed during it to `operation`. This is correct only if the server commits before
   * `act` returns. There are three cases, depending on what is behind the gate:
   *
   * 1. The embedded server handles a request at once: `acting` is enough.
   * 2. The embedded server waits for an external one, such as a webhook, and continues afterwards: while `acting` runs, the caller calls
   *    {@link resumable}, and later continues within the function that it returned.
   * 3. The commit is observed later, at a real server or in a recording: while `acting` runs, the upstream takes {@link resumable} (a
   *    `Witness` of `clusters/real`) or {@link attributing} (`execution/recording`), and assigns each change once it knows which operation
   *    made it.
   *
   * Two operations never act at once: otherwise the end of the inner one would attribute the rest of the outer one to the environment.
   */
  acting(operation: OpenOperation, asked: string | undefined, act: () => void): void {
    invariant(
      this.#acting === undefined,
      `one operation acts at a time: ${operation.label} is sent while ${this.#acting?.label} is executed`,
    );
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

  /**
   * Captures the current operation for work that the server continues after an external server has answered: the returned function runs
   * `act` on behalf of that operation.
   */
  resumable(): (act: () => void) => void {
    const [operation, asked] = [this.#acting, this.#asked];
    return (act) => {
      const before = [this.#acting, this.#asked] as const;
      [this.#acting, this.#asked] = [operation, asked];
      try {
        act();
      } finally {
        [this.#acting, this.#asked] = before;
      }
    };
  }

  /** Returns a function that records changes of the current operation, for a server that commits them later. */
  attributing(): (change: ObservedChange) => void {
    const operation = this.#acting;
    const asked = this.#asked;
    return (change) => this.#take(change, operation, asked);
  }

  /** Records a committed change. Changes outside any operation belong to the environment. */
  committed(change: ObservedChange): void {
    this.#take(change, this.#acting, this.#asked);
  }

  #take(change: ObservedChange, operation: OpenOperation | undefined, asked: string | undefined): void {
    if (change.type === 'ADDED') this.#naming.learn(change.resource, change.object, asked);
    // An object that was there before the run has a given name.
    else this.#naming.place(change.resource, change.object);
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

  /** Returns the finished history. Operations still open stay `pending`; the teardown that follows is not included. */
  history(settlement: Settlement, steps: number, missed: readonly Label[]): History {
    this.phase('end');
    this.#finished = true;
    return this.#snapshot(settlement, steps, missed, this.operations);
  }

  /** Returns the history as if the run ended now; the run continues, and later events are not included. */
  historySoFar(settlement: Settlement, steps: number, missed: readonly Label[]): History {
    const operations = this.operations.map((operation) => ({ ...operation, committed: [...operation.committed] }));
    const history = this.#snapshot(settlement, steps, missed, operations);
    return { ...history, phases: [...history.phases, { phase: 'end', ...this.mark() }] };
  }

  #snapshot(
    settlement: Settlement,
    steps: number,
    missed: readonly Label[],
    operations: readonly Operation[],
  ): History {
    const logs = this.#logs.lines;
    return {
      version: 1,
      phases: [...this.phases],
      operations: [...operations],
      revisions: [...this.revisions],
      deliveries: [...this.deliveries],
      streamEnds: [...this.streamEnds],
      processes: [...this.processes],
      decisions: [...this.decisions],
      settlement,
      steps,
      names: this.#naming.names(),
      missed,
      probes: [],
      ...(logs.length === 0 ? {} : { logs }),
      ...(this.measurements.length === 0 ? {} : { measurements: [...this.measurements] }),
    };
  }
}
