/**
 * Questions of the server to the target's own webhooks while a run goes on.
 *
 * Owns: that what the server does after an answer counts as done by whoever sent the request, that an answer which comes after its run
 * is nobody's, and how long a drain waits for the target on this account. Does not own: which webhooks there are
 * (`project/webhooks.ts`), sockets (`call-out.ts`). Start at {@link WebhookCalls}.
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

/** The life of the target that answers. */
export interface Answering extends OpeningLife {
  /** The port that it was given by one of these names, if it was. */
  portNamed(names: readonly string[]): number | undefined;
}

export interface WebhookCallOptions {
  /** The run that goes on now. */
  readonly run: () => RunOnHost | undefined;
  /** Where services lead. */
  readonly portOf: (service: NamedService) => ContainerPort | undefined;
  /** What has to answer before the target is ready, as the configurations are now. */
  readonly asked: () => readonly AskedPort[];
  /** By whose clock a question is given up. */
  readonly time: Pick<RunClock, 'after' | 'now'>;
  /** A connection to a port of the target's. Rejects when nobody listens. */
  readonly connect: (port: number) => Promise<Socket>;
  /** The target was told something. */
  readonly told: () => void;
}

const OWNER = 'webhooks';

export class WebhookCalls {
  readonly #options: WebhookCallOptions;
  readonly #post: CallOutFunction;
  readonly #opening: WebhookOpening;
  /** The youngest life of each program, the youngest of all last. */
  readonly #answering = new Map<ActorId, Answering>();
  /** Questions without an answer. */
  #open = 0;
  /** What had been sent when the last question was asked, as the gate counts it. */
  #sentBefore = 0;
  /** Connections that are being made: no time of the run passes meanwhile. */
  #connecting = 0;
  readonly #sockets = new Set<Socket>();
  /** Bytes that connections which are closed by now have carried. */
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

  /** What never answered, with what the target listens on instead. */
  get trouble(): string | undefined {
    return this.#opening.trouble;
  }

  /**
   * Whether nothing else should happen yet: the target makes up its mind about a question, or does not listen yet. Where it asks
   * something itself meanwhile, that has to happen first.
   */
  holdup(run: RunOnHost): Holdup {
    const isIdle = run.gate.pending.length === 0;
    if (this.#opening.isOpening) return !isIdle ? 'none' : this.#opening.isTrying ? 'instant' : 'timed';
    if (this.#open === 0 || (run.gate.activity !== this.#sentBefore && !isIdle)) return 'none';
    // A handshake takes turns, and the target may have been asleep before the last of them reached it.
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

  /** Grows with every byte of a question or its answer. */
  #moved(): number {
    let moved = this.#carried;
    for (const socket of this.#sockets) moved += bytesOf(socket);
    return moved;
  }

  /** Whether a question has no answer yet: what the target asks meanwhile comes before all else. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** A life of the target begins; the returned function says that it is over. */
  starts(actor: ActorId, answering: Answering): () => void {
    this.#answering.delete(programOf(actor));
    this.#answering.set(programOf(actor), answering);
    return this.#opening.starts(answering);
  }

  /** The port that stands for the container's: one of its own where the command asks for that. */
  #actual({ port, name }: ContainerPort): number {
    const named = [...this.#answering.values()].map((life) => life.portNamed([String(port), name, 'webhook']));
    return named.findLast((own) => own !== undefined) ?? port;
  }

  /** Asks as part of the operation that the server acts upon now. */
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
      // What comes after the end of its run would change the next one.
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
