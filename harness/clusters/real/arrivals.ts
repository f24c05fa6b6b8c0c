/**
 * Answers and events that a server has sent and no client has received yet; they are passed on together, in the embedded server's order.
 *
 * Answers and watches use separate connections, so their order of arrival is random. Owns: the order in which they are passed on. A change
 * goes first to the watches, in the order in which they were opened, and then to the client that made it, as its answer. A watch opens
 * before its first events. Start at {@link Arrivals}.
 */
import { realClearTimeout, realNow, realSetTimeout } from '../../determinism/real-time.ts';

/** The sort key of arrivals: compared number by number. */
type Rank = readonly [kind: number, first: number, second: number];

interface Arrival {
  readonly rank: Rank;
  readonly isTold: () => boolean;
  readonly pass: () => void;
}

const EVENT = 0;
const ANSWER = 1;
const FIRST_EVENT = 2;
/** Unpublished changes wait for an answer; after this time, in ms, they are published without it. */
const HASTEN_MS = 1_000;
/** After this time, in ms, arrivals are passed on even if they refer to unpublished changes. */
const UNPUBLISHED_MS = 5_000;
const ALWAYS = (): boolean => true;

export class Arrivals {
  readonly #isDone: () => boolean;
  readonly #hasten: () => void;
  #waiting: Arrival[] = [];
  #sinceMs = 0;
  #timer: ReturnType<typeof realSetTimeout> | undefined;

  /**
   * @param isDone - Reports whether the server has finished all requests.
   * @param hasten - Publishes what can be published.
   */
  constructor(isDone: () => boolean, hasten: () => void = () => {}) {
    this.#isDone = isDone;
    this.#hasten = hasten;
  }

  get isAny(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Adds an answer, or the opening of a watch, to the request with this number. `isTold` reports whether the objects in the answer have
   * been published.
   */
  answer(request: number, pass: () => void, isTold: () => boolean = ALWAYS): void {
    this.#add({ rank: [ANSWER, request, 0], isTold, pass });
  }

  /** Adds an event of the watch that the request with this number opened; `isFirst` is true if the watch is about to open. */
  event(request: number, isFirst: boolean, revision: number, isTold: () => boolean, pass: () => void): void {
    this.#add({ rank: isFirst ? [FIRST_EVENT, request, 0] : [EVENT, revision, request], isTold, pass });
  }

  /** Passes on all arrivals if none is missing. */
  look(): void {
    if (this.#waiting.length === 0) return;
    const waitedMs = realNow() - this.#sinceMs;
    if (waitedMs >= HASTEN_MS && this.#isDone() && this.#isUntold) this.#hasten();
    if (!this.#isDone() || (waitedMs < UNPUBLISHED_MS && this.#isUntold)) {
      this.#timer ??= realSetTimeout(() => {
        this.#timer = undefined;
        this.look();
      }, HASTEN_MS);
      return;
    }
    realClearTimeout(this.#timer);
    this.#timer = undefined;
    const passed = this.#waiting.toSorted((a, b) => compare(a.rank, b.rank));
    this.#waiting = [];
    for (const { pass } of passed) pass();
  }

  get #isUntold(): boolean {
    return this.#waiting.some(({ isTold }) => !isTold());
  }

  #add(arrival: Arrival): void {
    if (this.#waiting.length === 0) this.#sinceMs = realNow();
    this.#waiting.push(arrival);
    this.look();
  }
}

/** Compares ranks; equal ranks keep their order of arrival. */
function compare(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
