/** `Status` bodies, with kube-apiserver's messages. */
import type { JsonObject } from '../objects/object.ts';
import type { ApiResponse } from './http.ts';

export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServerTimeout'
  | 'ServiceUnavailable'
  | 'Timeout'
  | '';

export interface StatusCause extends JsonObject {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails extends JsonObject {
  readonly name?: string;
  readonly group?: string;
  /** The plural name of the resource, despite the name of this field. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** Returns a `Status` object for a failure. Empty details are omitted. */
export function failureStatus(
  code: number,
  reason: StatusReason,
  message: string,
  details?: StatusDetails,
): JsonObject {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason === '' ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  };
}

/** Returns an answer with a failure `Status`; `retryAfterSeconds` becomes a header too. */
export function failure(code: number, reason: StatusReason, message: string, details?: StatusDetails): ApiResponse {
  const retry = details?.retryAfterSeconds;
  return {
    code,
    body: failureStatus(code, reason, message, details),
    ...(retry === undefined ? {} : { headers: { 'retry-after': String(retry) } }),
  };
}
