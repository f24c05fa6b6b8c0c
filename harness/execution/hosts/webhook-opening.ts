/**
 * Waits until the webhooks of a life answer: as a pod, it gets no questions before.
 *
 * Owns: when a port counts as answering (its TLS server shows a certificate that one of the configurations trusts), how long that is
 * waited for on the run's clock, and what is said of one that never does. Does not own: questions (`webhook-calls.ts`). Start at
 * {@link WebhookOpening}.
 */
import type { Duplex } from 'node:stream';
import { shakeHands } from 'stalemate-apiserver/http';
import { realDelay } from '../../determinism/real-time.ts';
import type { ContainerPort } from '../project/webhooks.ts';

/** A port of the container, and by what a certificate that it shows is checked. */
export interface AskedPort extends ContainerPort {
  readonly servername: string;
  /** PEM; any of them will do. Empty: whatever the certificate is. */
  readonly authorities: readonly string[];
}

export interface WebhookOpeningOptions {
  /** What is to answer, as the configurations are now. */
  readonly asked: () => readonly AskedPort[];
  /** The port that stands for the container's. */
  readonly actual: (port: ContainerPort) => number;
  /** A connection to a port of the target's. Rejects when nobody listens. */
  readonly connect: (port: number) => Promise<Duplex>;
  /** Calls back after that much run time. */
  readonly after: (delayMs: number, then: () => void) => () => void;
  /** Milliseconds of the run. */
  readonly now: () => number;
  /** The target was told something. */
  readonly told: () => void;
}

/** A life of the target. */
export interface OpeningLife {
  /** The ports that it listens on. */
  listening?(): readonly number[];
}

/** Run time. Certificates that the target makes itself take a few tries, each twice as far from the last as the one before. */
const OPEN_MAX_MS = 60_000;
const POLL_MS = { first: 50, most: 5_000 } as const;
/** Real time for one try: a program that is awake answers in a few milliseconds. */
const TRY_MS = 500;

export class WebhookOpening {
  readonly #options: WebhookOpeningOptions;
  #life: OpeningLife | undefined;
  #isTrying = false;
  #trouble: string | undefined;

  constructor(options: WebhookOpeningOptions) {
    this.#options = options;
  }

  /** Whether a life lives and does not answer yet. */
  get isOpening(): boolean {
    return this.#life !== undefined;
  }

  /** Whether it is being tried right now, which takes no time of the run. */
  get isTrying(): boolean {
    return this.#isTrying;
  }

  /** What never answered; later lives are not waited for then. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** A life begins; the returned function says that it is over. */
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
      // Another life has begun, and is tried now.
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

  /** Null when it answers. */
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
