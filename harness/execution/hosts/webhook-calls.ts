/**
 * Questions of the server to the target's own webhooks while a run goes on.
 *
 * Owns: that what the server does after an answer counts as done by whoever sent the request, that an answer which comes after its run
 * is nobody's, and how long a drain waits for the target on this account. Does not own: which webhooks there are
 * (`project/webhooks.ts`), sockets (`call-out.ts`). Start at {@link WebhookCalls}.
 */
import type { Duplex } from 'node:stream';
import type { CallOutFunction } from '../../apiserver/admission/call-out.ts';
import { httpsCallOut } from '../../apiserver/http/call-out.ts';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import type { ContainerPort, NamedService } from '../project/webhooks.ts';
import type { World } from '../run/world.ts';

/** The life of the target that answers. */
export interface Answering {
  /** The port that it was given by one of these names, if it was. */
  portNamed(names: readonly string[]): number | undefined;
}

export interface WebhookCallOptions {
  /** The run that goes on now. */
  readonly world: () => World | undefined;
  /** Where services lead. */
  readonly portOf: (service: NamedService) => ContainerPort | undefined;
  /** The ports that have to listen before the target is ready. */
  readonly ports: readonly ContainerPort[];
  /** A connection to a port of the target's. Rejects when nobody listens. */
  readonly connect: (port: number) => Promise<Duplex>;
  /** The target was told something. */
  readonly told: () => void;
}

/** A webhook that does not listen by then is taken to be switched off, and not waited for in later lives. */
const READY_MAX_MS = 15_000;
const POLL_MS = 10;

export class WebhookCalls {
  readonly #options: WebhookCallOptions;
  readonly #post: CallOutFunction;
  #answering: Answering | undefined;
  /** Questions without an answer. */
  #open = 0;
  /** What had been sent when the last question was asked, as the gate counts it. */
  #sentBefore = 0;
  /** The target lives and does not listen yet. */
  #opening = false;
  #late = false;

  constructor(options: WebhookCallOptions) {
    this.#options = options;
    this.#post = httpsCallOut({
      resolveService: (service) => {
        const port = options.portOf(service);
        return port === undefined ? undefined : `127.0.0.1:${this.#actual(port)}`;
      },
      connect: options.connect,
    });
  }

  /**
   * Whether nothing else should happen yet: the target makes up its mind about a question, or does not listen yet. Where it asks
   * something itself meanwhile, that has to happen first.
   */
  waits(world: World): boolean {
    if (this.#opening) return world.gate.pending.length === 0;
    if (this.#open === 0) return false;
    return world.gate.activity === this.#sentBefore || world.gate.pending.length === 0;
  }

  /** Whether a question has no answer yet: what the target asks meanwhile comes before all else. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  /** A life of the target begins; the returned function says that it is over. */
  starts(answering: Answering): () => void {
    this.#answering = answering;
    const life = { over: false };
    this.#opening = this.#options.ports.length > 0 && !this.#late;
    if (this.#opening) void this.#untilItListens(answering, life);
    return () => {
      life.over = true;
      if (this.#answering === answering) this.#opening = false;
    };
  }

  async #untilItListens(answering: Answering, life: { readonly over: boolean }): Promise<void> {
    const until = realNow() + READY_MAX_MS;
    for (const port of this.#options.ports) {
      while (!life.over && this.#answering === answering) {
        if (realNow() > until) this.#late = true;
        if (this.#late || (await this.#listens(port))) break;
        await realDelay(POLL_MS);
      }
    }
    if (this.#answering === answering) this.#opening = false;
  }

  async #listens(port: ContainerPort): Promise<boolean> {
    try {
      (await this.#options.connect(this.#actual(port))).destroy();
      return true;
    } catch {
      return false;
    }
  }

  /** The port that stands for the container's: one of its own where the command asks for that. */
  #actual({ port, name }: ContainerPort): number {
    return this.#answering?.portNamed([String(port), name, 'webhook']) ?? port;
  }

  /** Asks as part of the operation that the server acts upon now. */
  readonly ask: CallOutFunction = (callOut, answer) => {
    const world = this.#options.world();
    if (world === undefined) {
      answer({ outcome: 'failed', why: 'no run goes on' });
      return () => {};
    }
    const resume = world.recorder.resumable();
    this.#open++;
    this.#sentBefore = world.gate.activity;
    let over = false;
    const end = (): void => {
      if (!over) this.#open--;
      over = true;
    };
    const cancel = this.#post(callOut, (given) => {
      if (over) return;
      end();
      // What comes after the end of its run would change the next one.
      if (this.#options.world() !== world) return;
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
