/**
 * Calls of the server to the target's own webhooks during a run.
 *
 * Owns: attributing the server's work after a webhook's answer to the request that caused the call, ignoring answers that arrive after the
 * end of a run, and how long a drain waits for the target because of a call. Does not own: which webhooks exist (`project/webhooks.ts`),
 * sockets (`call-out.ts`). Start at {@link WebhookCalls}.
 */
import type { Socket } from 'node:net';
import type { CallOutFunction } from 'stalemate-apiserver';
import { httpsCallOut } from 'stalemate-apiserver/http';
import type { RunClock } from '../../determinism/run-clock.ts';
import { programOf, type ActorId } from '../../model/actor.ts';
import type { RunOnHost } from '../run/host.ts';
import type { ContainerPort, NamedService } from '../project/webhooks.ts';
import type { Holdup } from './rest.ts';
import { WebhookOpening, type AskedPort, type OpeningLife } from './webhook-opening.ts';

/** An incarnation of the target that answers calls. */
export interface Answering extends OpeningLife {
  /** Returns the incarnation's port with one of these names, if any. */
  portNamed(names: readonly string[]): number | undefined;
}

export interface WebhookCallOptions {
  /** Returns the current run. */
  readonly run: () => RunOnHost | undefined;
  /** Resolves a service to a port of the container. */
  readonly portOf: (service: NamedService) => ContainerPort | undefined;
  /** Returns the ports that must answer before the target is ready, according to the current configurations. */
  readonly asked: () => readonly AskedPort[];
  /** The clock for the time-outs of calls. */
  readonly time: Pick<RunClock, 'after' | 'now'>;
  /** Connects to a port of the target. Rejects if nothing listens there. */
  readonly connect: (port: number) => Promise<Socket>;
  /** Called when something is sent to the target. */
  readonly told: () => void;
}

const OWNER = 'webhooks';

export class WebhookCalls {
  readonly #options: WebhookCallOptions;
  readonly #post: CallOutFunction;
  readonly #opening: WebhookOpening;
  /** The youngest incarnation of each program; the youngest of all comes last. */
  readonly #answering = new Map<ActorId, Answering>();
  /** The number of calls without an answer. */
  #open = 0;
  /** The gate's activity when the latest call was made. */
  #sentBefore = 0;
  /** The number of connections being opened, during which no run time passes. */
  #connecting = 0;
  readonly #sockets = new Set<Socket>();
  /** The bytes transferred by connections that are closed. */
  #carried = 0;
  #movedBefore = 0;

  constructor(options: WebhookCallOptions) {
    this.#options = options;
    const { time, told, asked } = options;
    const after = (delayMs: number, then: () => void): (() => void) => time.after(delayMs, OWNER, then);
    this.#opening = new WebhookOpening({
      asked,
      after,
      told,
      now: () => time.now(),
      actual: (port) => this.#actual(port),
      connect: options.connect,
    });
    this.#post = httpsCallOut({
      after,
      resolveService: (service) => {
        const port = options.portOf(service);
        return port === undefined ? undefined : `127.0.0.1:${this.#actual(port)}`;
      },
      connect: (port) => this.#connect(port),
    });
  }

  /** The message about webhooks that never answered, and the ports that the target listens on instead; undefined if all answered. */
  get trouble(): string | undefined {
    return this.#opening.trouble;
  }

  /**
   * Returns what rest has to wait for: the target handling a call, or starting to listen. A request that the target sends in the meantime
   * has to be released first.
   */
  holdup(run: RunOnHost): Holdup {
    const isIdle = run.gate.pending.length === 0;
    if (this.#opening.isOpening) return !isIdle ? 'none' : this.#opening.isTrying ? 'instant' : 'timed';
    if (this.#open === 0 || (run.gate.activity !== this.#sentBefore && !isIdle)) return 'none';
    // A handshake takes several turns of the event loop, and the target may have fallen asleep between two of its messages.
    const moved = this.#moved();
    const isMoving = moved !== this.#movedBefore;
    this.#movedBefore = moved;
    return this.#connecting > 0 || isMoving ? 'instant' : 'timed';
  }

  async #connect(port: number): Promise<Socket> {
    this.#connecting++;
    try {
      const socket = await this.#options.connect(port);
      this.#sockets.add(socket);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.#carried += bytesOf(socket);
      });
      return socket;
    } finally {
      this.#connecting--;
    }
  }

  /** Returns a number that increases with every byte of a call or its answer. */
  #moved(): number {
    let moved = this.#carried;
    for (const socket of this.#sockets) moved += bytesOf(socket);
    return moved;
  }

  /** Whether a call is unanswered; until it is answered, the target's own requests take precedence. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** Registers an incarnation of the target; the returned function removes it. */
  starts(actor: ActorId, answering: Answering): () => void {
    this.#answering.delete(programOf(actor));
    this.#answering.set(programOf(actor), answering);
    return this.#opening.starts(answering);
  }

  /** Returns the actual port for a container port: a different one if the command contains a placeholder for it. */
  #actual({ port, name }: ContainerPort): number {
    const named = [...this.#answering.values()].map((life) => life.portNamed([String(port), name, 'webhook']));
    return named.findLast((own) => own !== undefined) ?? port;
  }

  /** Makes a call as part of the operation that the server is handling. */
  readonly ask: CallOutFunction = (callOut, answer) => {
    const run = this.#options.run();
    if (run === undefined) {
      answer({ outcome: 'failed', why: 'no run is active' });
      return () => {};
    }
    const resume = run.recorder.resumable();
    this.#open++;
    this.#sentBefore = run.gate.activity;
    let over = false;
    const end = (): void => {
      if (!over) this.#open--;
      over = true;
    };
    const cancel = this.#post(callOut, (given) => {
      if (over) return;
      end();
      // An answer that arrives after the end of its run would change the next run.
      if (this.#options.run() !== run) return;
      this.#options.told();
      resume(() => answer(given));
    });
    this.#options.told();
    return () => {
      end();
      cancel();
    };
  };
}

function bytesOf({ bytesRead, bytesWritten }: Socket): number {
  return bytesRead + bytesWritten;
}
