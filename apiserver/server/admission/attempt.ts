/**
 * One request that may run several times: once, and again after each answer of a webhook.
 *
 * Owns: what must be the same in all runs (uids, generated names, the time) and the answers so far. Start at {@link runAttempt}.
 */
import type { ApiResponse } from '../../wire/http.ts';
import type { ServerState } from '../server-state.ts';
import { timestampText } from '../../objects/timestamps.ts';
import { refuse } from '../refusal.ts';
import { Suspended, type CallOutAnswer, type CallOutFunction } from './call-out.ts';

/** The maximum number of runs of one request. */
const RUNS_MAX = 1_000;

export class Attempt {
  readonly #uids: string[] = [];
  readonly #suffixes: string[] = [];
  readonly #answers = new Map<string, CallOutAnswer>();
  readonly #questionUids = new Map<string, string>();
  #uidsUsed = 0;
  #suffixesUsed = 0;
  readonly #kernel: ServerState;
  readonly #startMs: number;

  constructor(kernel: ServerState) {
    this.#kernel = kernel;
    this.#startMs = Date.parse(kernel.timestamp());
  }

  /** Returns the overrides of the server's kernel while this request runs. */
  sources(): Pick<ServerState, 'newUid' | 'nameSuffix' | 'timestamp'> {
    const { newUid, nameSuffix } = this.#kernel;
    return {
      newUid: () => (this.#uids[this.#uidsUsed++] ??= newUid()),
      nameSuffix: () => (this.#suffixes[this.#suffixesUsed++] ??= nameSuffix()),
      timestamp: (offsetSeconds = 0) => timestampText(this.#startMs + offsetSeconds * 1000),
    };
  }

  /** Starts the next run: it gets the same uids and names. */
  begin(): void {
    this.#uidsUsed = 0;
    this.#suffixesUsed = 0;
  }

  answerTo(key: string): CallOutAnswer | undefined {
    return this.#answers.get(key);
  }

  keep(key: string, answer: CallOutAnswer): void {
    this.#answers.set(key, answer);
  }

  /** Returns the uid of a review: stable across the runs. */
  questionUid(key: string): string {
    let uid = this.#questionUids.get(key);
    if (uid === undefined) this.#questionUids.set(key, (uid = this.#kernel.newUid()));
    return uid;
  }
}

/**
 * Runs `run` until it needs no more answers, then calls `done`. If all answers are immediate, this happens before the function returns. The
 * returned function cancels the attempt.
 */
export function runAttempt(
  attempt: Attempt,
  callOut: CallOutFunction,
  run: () => ApiResponse,
  done: (response: ApiResponse) => void,
): () => void {
  let gone = false;
  let pending: (() => void)[] = [];
  let runs = 0;
  const step = (): void => {
    for (;;) {
      if (gone) return;
      attempt.begin();
      const response = ++runs > RUNS_MAX ? ENDLESS : run();
      if (!(response instanceof Suspended)) {
        done(response);
        return;
      }
      let left = response.wanted.length;
      let starting = true;
      pending = response.wanted.map(({ key, callOut: asked, accept }) =>
        callOut(asked, (answer) => {
          if (accept === undefined) attempt.keep(key, answer);
          else accept(answer);
          left--;
          if (left === 0 && !starting) step();
        }),
      );
      starting = false;
      if (left > 0) return;
    }
  };
  step();
  return () => {
    gone = true;
    for (const stop of pending) stop();
  };
}

const ENDLESS = refuse(500, 'InternalError', 'Internal error occurred: the answers of webhooks never settle', {
  causes: [{ reason: '', message: 'the answers of webhooks never settle' }],
});
