/**
 * An answer that sends an actor elsewhere never reaches it: it gets a 502 instead, and the owner of the front is notified.
 *
 * Start at {@link withoutRedirects}.
 */
import { isProxied, isRedirect } from 'stalemate-apiserver/wire/redirect';
import { failureStatus } from 'stalemate-apiserver/wire/status';
import { madeAnswer } from './answers.ts';
import type { AnswerReader, RequestHead } from './exchange.ts';
import { headerOf, NO_TRAILERS } from './exchange.ts';
import { questionOf } from './remote-upstream.ts';

/** Hears of an answer that sends an actor elsewhere. */
export type OnRedirect = (code: number, request: { readonly method: string; readonly path: string }) => void;

/** The reader of one answer, which is not given a redirection. Absent listener: it is given everything. */
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
      // What is behind a proxy of the server is not the server.
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
