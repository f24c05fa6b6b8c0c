import { sentElsewhere } from './own-requests.ts';

/** Whether a server has given up being the one that was meant: everything that waits for it ends then. */
export class Departure {
  #why: Error | undefined;
  readonly #happened: Promise<never>;
  #reject: (why: Error) => void = () => {};

  constructor() {
    this.#happened = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Callers that wait get the error; without one it is no unhandled rejection.
    this.#happened.catch(() => {});
  }

  /** It redirects a client: no more requests go to it. */
  redirected(code: number, { method, path }: { readonly method: string; readonly path: string }): void {
    this.leave(sentElsewhere(code, `${method} ${path}`));
  }

  /** The first reason is the one that is reported. */
  leave(why: Error): void {
    this.#why ??= why;
    this.#reject(this.#why);
  }

  /** @throws that reason. */
  check(): void {
    if (this.#why !== undefined) throw this.#why;
  }

  /** The same work, cut short when that happens. */
  unless<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#happened]);
  }
}
