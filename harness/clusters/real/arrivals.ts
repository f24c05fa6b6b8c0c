/**
 * What a server has sent and no client has received yet: it is passed on at once, in the order of the embedded server.
 *
 * Answers and watches come over connections of their own, so that the order of arrival is chance. Owns: the order. A change reaches the
 * watches in the order in which they were opened, and the client that made it after them; a watch opens before its first events. Start at
 * {@link Arrivals}.
 */
import { realClearTimeout, realNow, realSetTimeout } from '../../determinism/real-time.ts';

/** By what arrivals are sorted: first number first, then the second, then the third. */
type Rank = readonly [kind: number, first: number, second: number];

interface Arrival {
  readonly rank: Rank;
  readonly isTold: () => boolean;
  readonly pass: () => void;
}

const EVENT = 0;
const ANSWER = 1;
const FIRST_EVENT = 2;
/** What is unpublished waits for an answer that does not come: after so long it is to be published without it. */
const HASTEN_MS = 1_000;
/** What is never published is passed on after so long. */
const UNTOLD_MS = 5_000;
const ALWAYS = (): boolean => true;

export class Arrivals {
  readonly #isDone: () => boolean;
  readonly #hasten: () => void;
  #waiting: Arrival[] = [];
  #sinceMs = 0;
  #timer: ReturnType<typeof realSetTimeout> | undefined;

  /** `isDone`: whether the server has done all that it was asked for. `hasten`: publishes what can be published. */
  constructor(isDone: () => boolean, hasten: () => void = () => {}) {
    this.#isDone = isDone;
    this.#hasten = hasten;
  }

  get isAny(): boolean {
    return this.#waiting.length > 0;
  }

  /** An answer, or the opening of a watch, to the request of this number; `isTold` where it shows objects. */
  answer(request: number, pass: () => void, isTold: () => boolean = ALWAYS): void {
    this.#add({ rank: [ANSWER, request, 0], isTold, pass });
  }

  /** An event of the watch that the request of this number opened; of one that is about to open when `isFirst`. */
  event(request: number, isFirst: boolean, revision: number, isTold: () => boolean, pass: () => void): void {
    this.#add({ rank: isFirst ? [FIRST_EVENT, request, 0] : [EVENT, revision, request], isTold, pass });
  }

  /** Passes everything on if nothing is missing. */
  look(): void {
    if (this.#waiting.length === 0) return;
    const waitedMs = realNow() - this.#sinceMs;
    if (waitedMs >= HASTEN_MS && this.#isDone() && this.#isUntold) this.#hasten();
    if (!this.#isDone() || (waitedMs < UNTOLD_MS && this.#isUntold)) {
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

/** Equal ranks keep the order in which they came. */
function compare(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}
