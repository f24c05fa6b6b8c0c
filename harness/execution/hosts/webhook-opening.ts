/**
 * Waits until the webhooks of an incarnation answer: like a pod, the incarnation receives no calls before it is ready.
 *
 * Owns: when a port counts as answering (its TLS server presents a certificate that a configuration trusts), how long to wait for an answer
 * in run time, and the message about a webhook that never answers. Does not own: calls (`webhook-calls.ts`). Start at {@link
 * WebhookOpening}.
 */
import type { Duplex } from 'node:stream';
import { shakeHands } from 'stalemate-apiserver/http';
import { realDelay } from '../../determinism/real-time.ts';
import type { ContainerPort } from '../project/webhooks.ts';

/** A container port, and how its certificate is verified. */
export interface AskedPort extends ContainerPort {
  readonly servername: string;
  /** CA certificates in PEM, any of which may have issued the port's certificate; if there are none, the certificate is not verified. */
  readonly authorities: readonly string[];
}

export interface WebhookOpeningOptions {
  /** Returns the ports that must answer, according to the current configurations. */
  readonly asked: () => readonly AskedPort[];
  /** Returns the actual port for a container port. */
  readonly actual: (port: ContainerPort) => number;
  /** Connects to a port of the target. Rejects if nothing listens there. */
  readonly connect: (port: number) => Promise<Duplex>;
  /** Calls `then` after `delayMs` of run time. */
  readonly after: (delayMs: number, then: () => void) => () => void;
  /** Returns the run time in ms. */
  readonly now: () => number;
  /** Called when the state of the target has changed. */
  readonly told: () => void;
}

/** An incarnation of the target. */
export interface OpeningLife {
  /** Returns the ports that the incarnation listens on. */
  listening?(): readonly number[];
}

/** How long to wait, in ms of run time. A target that creates its own certificates needs a few tries, at intervals that double. */
const OPEN_MAX_MS = 60_000;
const POLL_MS = { first: 50, most: 5_000 } as const;
/** The limit for one attempt, in ms of real time: a program that is awake answers within a few ms. */
const TRY_MS = 500;

export class WebhookOpening {
  readonly #options: WebhookOpeningOptions;
  #life: OpeningLife | undefined;
  #isTrying = false;
  #trouble: string | undefined;

  constructor(options: WebhookOpeningOptions) {
    this.#options = options;
  }

  /** Whether a running incarnation does not answer yet. */
  get isOpening(): boolean {
    return this.#life !== undefined;
  }

  /** Whether an attempt is in progress, which takes no run time. */
  get isTrying(): boolean {
    return this.#isTrying;
  }

  /** The message about webhooks that never answered; once it is set, later incarnations are not waited for. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Waits for an incarnation to answer; the returned function ends the wait. */
  starts(life: OpeningLife): () => void {
    this.#life = undefined;
    if (this.#trouble === undefined && this.#options.asked().length > 0) {
      this.#life = life;
      void this.#untilItAnswers(life);
    }
    return () => {
      if (this.#life === life) this.#life = undefined;
    };
  }

  async #untilItAnswers(life: OpeningLife): Promise<void> {
    const { asked, after, now, told } = this.#options;
    const untilMs = now() + OPEN_MAX_MS;
    for (let delayMs: number = POLL_MS.first; ; delayMs = Math.min(delayMs * 2, POLL_MS.most)) {
      this.#isTrying = true;
      const failed = await this.#try(asked());
      // The wait for this incarnation has ended, possibly because another one has started.
      if (this.#life !== life) return;
      this.#isTrying = false;
      if (failed === undefined || now() >= untilMs) {
        if (failed !== undefined) this.#trouble = this.#troubleOf(failed, life);
        this.#life = undefined;
        told();
        return;
      }
      await new Promise<void>((resolve) => void after(delayMs, resolve));
      if (this.#life !== life) return;
    }
  }

  async #try(ports: readonly AskedPort[]): Promise<Failed | undefined> {
    for (const port of ports) {
      const why = await Promise.race([this.#whyNot(port), realDelay(TRY_MS).then(() => NO_ANSWER)]);
      if (why !== null) return { port, why };
    }
    return undefined;
  }

  /** Returns why a port does not answer; null if it does. */
  async #whyNot({ servername, authorities, ...port }: AskedPort): Promise<string | null> {
    let why: string | null = null;
    for (const ca of authorities.length === 0 ? [undefined] : authorities) {
      let socket: Duplex;
      try {
        socket = await this.#options.connect(this.#options.actual(port));
      } catch {
        return 'connection refused';
      }
      why = await shakeHands(socket, { servername, ...(ca === undefined ? {} : { ca }) });
      if (why === null) return null;
    }
    return why;
  }

  #troubleOf({ port, why }: Failed, life: OpeningLife): string {
    const { actual } = this.#options;
    const number = actual(port);
    const own = number === port.port ? '' : ` (port ${port.port} of its container)`;
    const listening = life.listening?.() ?? [];
    const there = listening.length === 0 ? 'on no port' : `on ${listening.join(', ')}`;
    return `the webhooks of the target never answered on port ${number}${own}: ${why}; it listens ${there}`;
  }
}

interface Failed {
  readonly port: AskedPort;
  readonly why: string;
}

const NO_ANSWER = 'no answer';
