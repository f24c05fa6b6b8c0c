/**
 * Records the traffic that passes a front unchanged, to be read later: bytes with their times, in order of arrival.
 *
 * Owns: recording, up to a limit. It parses nothing while recording, so that it does not slow down the traffic. Start at {@link Capture};
 * `replayed.ts` reads it.
 */
import type { AnswerHead, RequestHead } from './exchange.ts';
import type { Tap } from './pass.ts';

/** One recorded piece of traffic. `exchange` counts from 0 in order of arrival. */
export type Passed =
  | {
      readonly what: 'request';
      readonly exchange: number;
      readonly timeMs: number;
      readonly head: RequestHead;
      readonly body: readonly Buffer[];
    }
  | { readonly what: 'head'; readonly exchange: number; readonly timeMs: number; readonly head: AnswerHead }
  | { readonly what: 'piece'; readonly exchange: number; readonly timeMs: number; readonly bytes: Buffer }
  | { readonly what: 'end'; readonly exchange: number; readonly timeMs: number; readonly whole: boolean };

/** The most bytes that are recorded: half a gigabyte of requests and answers, about an hour of a busy suite. */
const BYTES_MAX = 512 * 1024 * 1024;

export class Capture {
  readonly passed: Passed[] = [];
  /** True if traffic was dropped because the limit was reached. */
  truncated = false;
  readonly #now: () => number;
  readonly #bytesMax: number;
  #exchanges = 0;
  #bytes = 0;

  /** @param now - Returns the ms since the recording began. */
  constructor(now: () => number, bytesMax: number = BYTES_MAX) {
    this.#now = now;
    this.#bytesMax = bytesMax;
  }

  /** Returns a tap that records one exchange. */
  tap(head: RequestHead): Tap {
    const exchange = this.#exchanges++;
    const body: Buffer[] = [];
    return {
      requestPiece: (piece) => {
        if (this.#takes(piece)) body.push(piece);
      },
      requestEnd: () => this.#add({ what: 'request', exchange, timeMs: this.#now(), head, body }),
      answerHead: (answer) => this.#add({ what: 'head', exchange, timeMs: this.#now(), head: answer }),
      answerPiece: (bytes) => {
        if (this.#takes(bytes)) this.#add({ what: 'piece', exchange, timeMs: this.#now(), bytes });
      },
      close: (whole) => this.#add({ what: 'end', exchange, timeMs: this.#now(), whole }),
    };
  }

  #add(passed: Passed): void {
    if (!this.truncated) this.passed.push(passed);
  }

  #takes(piece: Buffer): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > this.#bytesMax) this.truncated = true;
    return !this.truncated;
  }
}
