/**
 * The outgoing events of one watch.
 *
 * Owns: the backlog of a slow client. The backlog consists of events, whose objects are shared with the store and with every other watch.
 * They are serialised only when the connection accepts more data, so slow clients need no copies.
 */
import type { WatchEvent } from '../../objects/watch-event.ts';
import type { EventEncoder } from './encode.ts';
import type { Exchange } from './exchange.ts';

export class Outlet {
  readonly #exchange: Exchange;
  readonly #encoder: EventEncoder;
  #waiting: WatchEvent[] = [];
  #next = 0;
  #ending = false;

  constructor(exchange: Exchange, encoder: EventEncoder) {
    this.#exchange = exchange;
    this.#encoder = encoder;
    exchange.onDrain(() => this.#flush());
  }

  /** Returns the number of events in the backlog. */
  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  send(event: WatchEvent): void {
    if (this.waiting > 0 || this.#exchange.full) this.#waiting.push(event);
    else this.#exchange.write(this.#encoder.encode(event));
  }

  /** Ends the stream cleanly after the backlog. */
  end(): void {
    this.#ending = true;
    this.#flush();
  }

  #flush(): void {
    while (this.waiting > 0 && !this.#exchange.full) {
      const event = this.#waiting[this.#next++];
      if (event !== undefined) this.#exchange.write(this.#encoder.encode(event));
    }
    if (this.waiting > 0) return;
    this.#waiting = [];
    this.#next = 0;
    if (this.#ending) this.#exchange.end();
  }
}
