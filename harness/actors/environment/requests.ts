/** Requests of environment controllers: JSON in and out; a broken connection has a separate status code. */
import type { JsonValue, KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import { call, ConnectionFailure } from 'stalemate-apiserver/wire/call';
import type { ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import type { WorkResult } from './work-queue.ts';

/** The kinds that the server serves. */
export interface Kinds {
  kindFor(apiVersion: string, kind: string): ResourceKind | undefined;
  resourceKinds(): readonly ResourceKind[];
}

/** The status code of a request without an answer. */
const NO_ANSWER = 0;

export type Send = (method: Method, path: string, body?: JsonValue) => Promise<ApiResponse>;

/** Sends requests as `actor`; patches are merge patches. */
export function sender(upstream: Upstream, actor: string): Send {
  return async (method, path, body) => {
    const headers: { [name: string]: string } = { accept: 'application/json', 'user-agent': actor };
    if (body !== undefined) {
      headers['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    }
    try {
      return await call(upstream, { method, path, query: {}, headers, ...(body === undefined ? {} : { body }) });
    } catch (error) {
      if (error instanceof ConnectionFailure) return { code: NO_ANSWER, body: '' };
      throw error;
    }
  };
}

/** Removes a finalizer from the object at `path`, unless the object has changed in the meantime. */
export async function dropFinalizer(
  send: Send,
  path: string,
  { metadata }: KubeObject,
  finalizer: string,
): Promise<WorkResult> {
  const { uid = '', resourceVersion = '' } = metadata;
  const finalizers = (metadata.finalizers ?? []).filter((other) => other !== finalizer);
  return toTry(await send('PATCH', path, { metadata: { uid, resourceVersion, finalizers } }));
}

/** Returns `again` if the outcome is unknown or temporary (conflict, overload, failure, broken connection), else `done`. */
export function toTry({ code }: ApiResponse): WorkResult {
  return code === NO_ANSWER || code === 409 || code === 429 || code >= 500 ? 'again' : 'done';
}
