/** Faults: what the gate answers instead of the server, and how faults are described. */
import type { ApiRequest, ApiResponse } from 'stalemate-apiserver/wire/http';
import { failure } from 'stalemate-apiserver/wire/status';
import { assertNever } from '../model/errors.ts';
import { connectionText } from '../model/connection-fault.ts';
import { isConnectionFault, type FaultAction } from '../model/schedule.ts';

/** Returns the exact answer that an overloaded or restarting API server would give. */
export function injectedFailure(fault: Extract<FaultAction, { do: 'fail' }>): ApiResponse {
  const details = fault.retryAfterSeconds === undefined ? undefined : { retryAfterSeconds: fault.retryAfterSeconds };
  switch (fault.status) {
    case 429:
      return failure(429, 'TooManyRequests', 'Too many requests, please try again later.', details);
    case 500:
      return failure(500, 'InternalError', 'Internal error occurred: etcdserver: request timed out', details);
    case 503:
      return failure(503, 'ServiceUnavailable', 'apiserver is shutting down', details);
    case 504:
      return failure(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout', details);
    default:
      return assertNever(fault.status);
  }
}

/**
 * Turns a list request into a legal stale one: the new request asks for the list at an exact earlier revision, as an API server with an old
 * watch cache would serve it.
 */
export function fromThePast(request: ApiRequest, revision: number): ApiRequest {
  const query = {
    ...request.query,
    resourceVersion: String(Math.max(1, revision)),
    resourceVersionMatch: 'Exact',
  };
  return { ...request, query };
}

/** Describes a fault in words. */
export function describeFault(fault: FaultAction): string {
  if (isConnectionFault(fault)) return connectionText(fault);
  switch (fault.do) {
    case 'fail':
      return `fail with ${fault.status}${fault.retryAfterSeconds === undefined ? '' : ` (retry after ${fault.retryAfterSeconds} s)`}`;
    case 'stale-list':
      return `answer from ${fault.behind} revisions ago`;
    case 'refuse':
      return 'refuse the connection';
    case 'lose-response':
      return 'lose the response';
    case 'close-watch':
      return 'close the watch';
    case 'expire-watch':
      return 'answer 410 in the watch';
    case 'crash':
      return 'crash and restart the target';
    case 'pause':
      return `stop the target for ${fault.forMs} ms`;
    case 'start-replica':
      return 'start a second replica';
    case 'delay':
      return `delay it for ${fault.forMs / 1000} s`;
    default:
      return assertNever(fault);
  }
}
