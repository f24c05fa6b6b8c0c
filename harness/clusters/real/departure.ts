import { sentElsewhere } from './own-requests.ts';

/** Detects that the server is no longer the intended one (it redirects clients) and aborts everything that waits for it. */
export class Departure {
  #why: Error | undefined;
  readonly #happened: Promise<never>;
  #reject: (why: Error) => void = () => {};

  constructor() {
    this.#happened = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Callers that wait get the error. If there are none, the rejection must not count as unhandled.
    this.#happened.catch(() => {});
  }

  /** Called when the server redirects a client: no more requests are sent to it. */
  redirected(code: number, { method, path }: { readonly method: string; readonly path: string }): void {
    this.leave(sentElsewhere(code, `${method} ${path}`));
  }

  /** Aborts all pending work; only the first reason is reported. */
  leave(why: Error): void {
    this.#why ??= why;
    this.#reject(this.#why);
  }

  /** @throws the reason, if there is one. */
  check(): void {
    if (this.#why !== undefined) throw this.#why;
  }

  /** Runs `work`, aborted if the server departs. */
  unless<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#happened]);
  }
}
