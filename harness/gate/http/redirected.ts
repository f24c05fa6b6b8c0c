/**
 * Replaces redirects: an actor gets a 502 instead, and the owner of the front is notified.
 *
 * Start at {@link withoutRedirects}.
 */
import { isProxied, isRedirect } from 'stalemate-apiserver/wire/redirect';
import { failureStatus } from 'stalemate-apiserver/wire/status';
import { madeAnswer } from './answers.ts';
import type { AnswerReader, RequestHead } from './exchange.ts';
import { headerOf, NO_TRAILERS } from './exchange.ts';
import { questionOf } from './remote-upstream.ts';

/** Called with an answer that would redirect an actor. */
export type OnRedirect = (code: number, request: { readonly method: string; readonly path: string }) => void;

/** Wraps the reader of one answer to hide redirects from it. Without a listener, the reader gets every answer. */
export function withoutRedirects(
  reader: AnswerReader,
  request: RequestHead,
  onRedirect: OnRedirect | undefined,
): AnswerReader {
  if (onRedirect === undefined) return reader;
  let isRedirected = false;
  return {
    head: (head) => {
      isRedirected = isRedirect(head.code);
      if (!isRedirected) return reader.head(head);
      const { path } = questionOf(request);
      // A redirect from behind one of the server's proxies (pods, services) is not reported: the server itself does not redirect.
      if (!isProxied(path)) onRedirect(head.code, { method: request.method, path });
      const message = `the API server redirected the request (${head.code}), which is not followed`;
      const response = { code: 502, body: failureStatus(502, 'InternalError', message) };
      const made = madeAnswer(response, headerOf(request.headers, 'accept'));
      reader.head(made.head);
      reader.data(made.body);
    },
    data: (piece) => {
      if (!isRedirected) reader.data(piece);
    },
    end: (trailers) => reader.end(isRedirected ? NO_TRAILERS : trailers),
    fail: (error) => reader.fail(error),
  };
}
