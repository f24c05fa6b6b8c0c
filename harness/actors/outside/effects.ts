/**
 * The store as a target in this process reaches it: a `fetch` of its own, whose calls wait at the gate like all others.
 *
 * The platform's own `fetch` opens sockets, which the scheduler does not control; a target takes this one where it is given it. Start at
 * {@link effectsFor}.
 */
import type { ApiResponse, ConnectionError, Upstream } from 'stalemate-apiserver/wire/http';
import { isAnswer, toAnswer, toRequest } from './rest.ts';
import type { RestAnswer } from './rest.ts';

/** What a target is given for its effects outside the cluster. */
export interface Effects {
  /** Base address: `URL/COLLECTION/ID`. */
  readonly url: string;
  /** As the platform's, for addresses below {@link Effects.url}. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

const URL_IN_PROCESS = 'http://effects.stalemate';

/** The store behind an upstream, for one incarnation. */
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

/** Asks the server behind `upstream`. Rejects as a broken connection does. */
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
