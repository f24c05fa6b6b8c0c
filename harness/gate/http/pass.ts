/**
 * Traffic that passes unchanged: bytes in, bytes out, with back-pressure from either side.
 *
 * Owns: the plumbing of one exchange, and reporting the traffic to a {@link Tap}. Start at {@link pass}.
 */
import type {
  AnswerHead,
  AnswerReader,
  FrontExchange,
  RawHeaders,
  RemoteConnection,
  RemoteExchange,
  RequestHead,
} from './exchange.ts';
import { withoutRedirects, type OnRedirect } from './redirected.ts';

/** An observer of one exchange. It must not change what it receives. */
export interface Tap {
  requestPiece(piece: Buffer): void;
  requestEnd(): void;
  answerHead(head: AnswerHead): void;
  answerPiece(piece: Buffer): void;
  /** Called when the exchange has ended; `whole` is true unless the connection broke on either side. */
  close(whole: boolean): void;
}

/** Sends the request of `front`, with `head`, to `remote`, and answers with its response. */
export function pass(
  front: FrontExchange,
  head: RequestHead,
  remote: RemoteConnection,
  tap?: Tap,
  onRedirect?: OnRedirect,
): void {
  const passage = new Passage(front, tap);
  passage.begin(remote.open(head, front.hasBody, withoutRedirects(passage, front.head, onRedirect)));
}

class Passage implements AnswerReader {
  readonly #front: FrontExchange;
  readonly #tap: Tap | undefined;
  #remote: RemoteExchange | undefined;
  #waits = false;
  #answered = false;
  #over = false;

  constructor(front: FrontExchange, tap: Tap | undefined) {
    this.#front = front;
    this.#tap = tap;
  }

  begin(remote: RemoteExchange): void {
    const front = this.#front;
    const tap = this.#tap;
    this.#remote = remote;
    front.onClose((whole) => {
      // If the actor disconnects before the end of the answer, nothing more is needed from the server.
      if (!this.#answered) remote.abort();
      this.#over = true;
      tap?.close(whole && this.#answered);
    });
    if (!front.hasBody) {
      tap?.requestEnd();
      return;
    }
    let paused = false;
    front.read({
      data: (piece) => {
        tap?.requestPiece(piece);
        if (remote.write(piece) || paused) return;
        paused = true;
        front.pause();
      },
      end: (trailers) => {
        tap?.requestEnd();
        remote.end(trailers);
      },
    });
    remote.onDrain(() => {
      paused = false;
      front.resume();
    });
  }

  head(head: AnswerHead): void {
    if (this.#over) return;
    this.#tap?.answerHead(head);
    this.#front.start(head);
  }

  data(piece: Buffer): void {
    if (this.#over) return;
    this.#tap?.answerPiece(piece);
    if (this.#front.write(piece)) return;
    this.#remote?.pause();
    if (this.#waits) return;
    this.#waits = true;
    this.#front.onDrain(() => this.#remote?.resume());
  }

  end(trailers: RawHeaders): void {
    this.#answered = true;
    this.#front.end(trailers);
  }

  fail(): void {
    this.#answered = true;
    this.#front.abort();
  }
}
