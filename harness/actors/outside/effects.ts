/**
 * The store for a target in this process: a `fetch` whose calls wait at the gate like all requests of the target.
 *
 * The platform's `fetch` opens sockets, which the scheduler does not control; a target uses this one instead. Start at {@link effectsFor}.
 */
import type { ApiResponse, ConnectionError, Upstream } from 'stalemate-apiserver/wire/http';
import { isAnswer, toAnswer, toRequest } from './rest.ts';
import type { RestAnswer } from './rest.ts';

/** The target's access to the store outside the cluster. */
export interface Effects {
  /** The base URL: `URL/COLLECTION/ID`. */
  readonly url: string;
  /** Like the platform's `fetch`, for URLs below {@link Effects.url}. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

const URL_IN_PROCESS = 'http://effects.stalemate';

/** Creates the store behind an upstream, for one incarnation. */
export function effectsFor(upstream: Upstream): Effects {
  return {
    url: URL_IN_PROCESS,
    fetch: async (url, init = {}) => {
      const address = new URL(url);
      if (address.origin !== URL_IN_PROCESS) {
        throw new TypeError(`got "${address.href}", expected an address below "${URL_IN_PROCESS}"`);
      }
      const call = {
        method: (init.method ?? 'GET').toUpperCase(),
        path: address.pathname,
        headers: Object.fromEntries(new Headers(init.headers)),
        text: typeof init.body === 'string' ? init.body : '',
      };
      const { status, headers, text } = await answerTo(upstream, call);
      return new Response(status === 204 ? null : text, { status, headers });
    },
  };
}

/** Sends a call to the server behind `upstream`. If the connection breaks, the promise rejects. */
export function answerTo(upstream: Upstream, call: Parameters<typeof toRequest>[0]): Promise<RestAnswer> {
  const asked = toRequest(call);
  if (isAnswer(asked)) return Promise.resolve(asked);
  return new Promise((resolve, reject) => {
    const broken = (error?: ConnectionError): void => {
      const { code = 'ECONNRESET', message = 'socket hang up' } = error ?? {};
      reject(new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) }));
    };
    upstream.send(asked, {
      answer: (response: ApiResponse) => resolve(toAnswer(response)),
      open: () => {},
      event: () => {},
      end: broken,
    });
  });
}
