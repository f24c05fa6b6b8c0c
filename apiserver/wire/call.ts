/** Sends one request and returns a promise, for callers that need no streams. */
import type { ApiRequest, ApiResponse, ConnectionError, Upstream } from './http.ts';

/** Thrown when the connection breaks: the request may or may not have taken effect. */
export class ConnectionFailure extends Error {
  readonly code: ConnectionError['code'];

  constructor(error: ConnectionError) {
    super(error.message);
    this.name = 'ConnectionFailure';
    this.code = error.code;
  }
}

/**
 * Sends one request and resolves with its answer, whatever its code.
 *
 * @throws {ConnectionFailure} when the connection broke before the answer.
 */
export function call(upstream: Upstream, request: ApiRequest): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    upstream.send(request, {
      answer: resolve,
      open: () => reject(new TypeError('a watch was opened where one answer was expected')),
      event: () => {},
      end: (error) => {
        if (error !== undefined) reject(new ConnectionFailure(error));
      },
    });
  });
}
