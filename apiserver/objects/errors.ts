/** Errors for mistakes of the caller or problems of the machine. Answering a request never throws them. */

/** Stable codes of an {@link ApiServerError}. */
export type ApiServerErrorCode =
  | 'USAGE' // an argument or option that cannot be
  | 'MANIFEST_INVALID' // an object or a definition that the server refuses to start with
  | 'CLUSTER_UNAVAILABLE'; // programs of a control plane are missing, or do not start

/** A mistake of the caller or a problem of the machine. `message` states what was received, what was expected and what to do. */
export class ApiServerError extends Error {
  readonly code: ApiServerErrorCode;

  constructor(code: ApiServerErrorCode, message: string, options: { readonly cause?: unknown } = {}) {
    super(message, options);
    this.name = 'ApiServerError';
    this.code = code;
  }
}
