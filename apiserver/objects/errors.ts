/** Errors caused by the caller or by the machine. Answering a request never throws them. */

/** Stable codes of an {@link ApiServerError}. */
export type ApiServerErrorCode =
  | 'USAGE' // an invalid argument or option
  | 'MANIFEST_INVALID' // an object or a definition that the server refuses to start with
  | 'CLUSTER_UNAVAILABLE'; // programs of a control plane are missing or do not start

/** An error caused by the caller or by the machine. `message` states what was received, what was expected and what to do. */
export class ApiServerError extends Error {
  readonly code: ApiServerErrorCode;

  constructor(code: ApiServerErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ApiServerError';
    this.code = code;
  }
}
