/**
 * Sends one raw request over HTTP/1.1 and reads the whole answer.
 *
 * Owns: sending malformed requests, and reading answers that may never end. Start at {@link RawClient}.
 */
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { realClearTimeout, realSetTimeout } from '../../clock.ts';
import type { Endpoint } from '../differential/client.ts';

/** A request that may be malformed. */
export interface FuzzRequest {
  /** The group in reports: `path`, `query`, `body json`. */
  readonly area: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: Buffer | undefined;
}

export interface RawReply {
  /** The status code; 0 when the connection broke before an answer. */
  readonly code: number;
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  readonly text: string;
  /** True if the answer had not ended when reading stopped. */
  readonly open: boolean;
}

/** Reading a stream stops once it has been idle for this long. */
const QUIET_MS = 250;
const ANSWER_TIMEOUT_MS = 20_000;

export class RawClient {
  readonly endpoint: Endpoint;
  readonly #agent: Agent;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 8, ca: endpoint.ca });
  }

  send({ method, target, headers, body }: FuzzRequest): Promise<RawReply> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(this.endpoint.url);
      let code = 0;
      let text = '';
      let answered: IncomingMessage | undefined;
      let over = false;
      const done = (open: boolean): void => {
        if (over) return;
        over = true;
        realClearTimeout(timer);
        resolve({ code, headers: answered?.headers ?? {}, text, open });
        if (open) request.destroy();
      };
      const request = httpsRequest(
        {
          agent: this.#agent,
          hostname,
          port,
          path: target,
          method,
          headers: {
            authorization: `Bearer ${this.endpoint.token}`,
            ...headers,
            ...(body === undefined ? {} : { 'content-length': body.length }),
          },
        },
        (response) => {
          code = response.statusCode ?? 0;
          answered = response;
          const hush = (): void => {
            realClearTimeout(timer);
            timer = realSetTimeout(
              () => done(true),
              response.headers['content-length'] === undefined ? QUIET_MS : 5000,
            );
          };
          hush();
          response.setEncoding('utf8');
          response.on('data', (piece: string) => {
            text += piece;
            hush();
          });
          response.on('end', () => done(false));
          response.on('error', () => done(false));
        },
      );
      let timer = realSetTimeout(() => done(true), ANSWER_TIMEOUT_MS);
      request.on('error', (error) => {
        if (code === 0) text = `no answer: ${error.message}`;
        done(false);
      });
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
