/** Derives the outcome of an operation from the answer that the actor received. */
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiResponse, ConnectionError } from 'stalemate-apiserver/wire/http';
import type { Outcome } from '../model/history.ts';
import type { OpenOperation } from './recorder.ts';

function retryAfter(status: JsonObject | undefined): { readonly retryAfterSeconds?: number } {
  const details = status?.['details'];
  const seconds = isMap(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? { retryAfterSeconds: seconds } : {};
}

/**
 * Returns the outcome. A broken connection leaves it unknown (`info`), unless the connection was refused, in which case nothing was sent.
 */
export function outcomeOf(response: ApiResponse | ConnectionError, operation: OpenOperation): Outcome {
  if (typeof response.code === 'string') {
    return response.code === 'ECONNREFUSED'
      ? { type: 'fail', code: 0, reason: 'ConnectionRefused', message: response.message }
      : { type: 'info', why: response.message };
  }
  const { code, body } = response;
  const object = typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as JsonObject) : undefined;
  if (code >= 400) {
    const reason = object?.['reason'];
    const message = object?.['message'];
    return {
      type: 'fail',
      code,
      reason: typeof reason === 'string' ? reason : '',
      message: typeof message === 'string' ? message : typeof body === 'string' ? body : '',
      ...retryAfter(object),
    };
  }
  if (object === undefined) return { type: 'ok', code };
  if (operation.verb === 'list' || operation.verb === 'deletecollection') {
    const items = object['items'] as readonly KubeObject[] | undefined;
    const metadata = object['metadata'] as JsonObject | undefined;
    return {
      type: 'ok',
      code,
      ...(items === undefined ? {} : { items }),
      listRevision: Number(metadata?.['resourceVersion'] ?? 0),
    };
  }
  return isObject(object) ? { type: 'ok', code, object } : { type: 'ok', code };
}

/** Reports whether a body is a stored object; a Status, `/version`, discovery and OpenAPI documents are not. */
function isObject(body: JsonObject): body is KubeObject {
  return body['kind'] !== 'Status' && isMap(body['metadata']);
}
