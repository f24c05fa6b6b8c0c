/**
 * Requests of stalemate itself to a real server, bypassing the gate: setup and waiting before and after runs.
 *
 * Start at {@link ask}, {@link make}.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { isRedirect } from 'stalemate-apiserver/wire/redirect';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';

/** The time limit, in ms, for a server to serve a CRD, and to create its initial objects. */
const READY_MS = 30_000;
const POLL_MS = 20;

/**
 * Sends one request.
 *
 * @throws {REFUSED} if the server redirects the client.
 * @throws {ConnectionFailure} if the connection broke before the answer.
 */
export async function ask(
  upstream: Upstream,
  method: Method,
  path: string,
  body?: JsonObject,
  query: ApiRequest['query'] = {},
): Promise<ApiResponse> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { 'content-type': type, 'user-agent': 'stalemate' };
  const answer = await call(upstream, { method, path, query, headers, ...(body === undefined ? {} : { body }) });
  if (isRedirect(answer.code)) throw sentElsewhere(answer.code, `${method} ${path}`);
  return answer;
}

/** @returns the error for a server that redirects. */
export function sentElsewhere(code: number, what: string): HarnessError {
  return new HarnessError(
    'REFUSED',
    `the API server redirects requests (${code} to ${what}), expected the API server itself; the redirect was not followed; name the server itself`,
  );
}

/**
 * Creates an object.
 *
 * @param what - Its description in messages.
 * @throws {MANIFEST_INVALID} {CLUSTER_UNAVAILABLE} if the server rejects it.
 */
export async function make(upstream: Upstream, path: string, object: KubeObject, what: string): Promise<KubeObject> {
  const answer = await ask(upstream, 'POST', path, object);
  expectMade(answer, what);
  return answer.body as unknown as KubeObject;
}

/** @throws {MANIFEST_INVALID} {CLUSTER_UNAVAILABLE} if a server has not created the object. */
export function expectMade({ code, body }: ApiResponse, what: string): void {
  if (code < 300) return;
  const { message = JSON.stringify(body) } = (typeof body === 'string' ? {} : body) as { readonly message?: string };
  const isForbidden = code === 403;
  throw new HarnessError(
    isForbidden ? 'CLUSTER_UNAVAILABLE' : 'MANIFEST_INVALID',
    `the API server answered ${code} to ${what}: ${message}; ${isForbidden ? 'expected credentials that may do so' : 'correct it'}`,
  );
}

/**
 * Waits until a path is served.
 *
 * @throws {CLUSTER_UNAVAILABLE} if the path is not served in time.
 */
export async function served(upstream: Upstream, path: string): Promise<void> {
  const untilMs = realNow() + READY_MS;
  for (;;) {
    const { code } = await ask(upstream, 'GET', path);
    if (code === 200) return;
    if (realNow() > untilMs)
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `the API server answered ${code} to GET ${path} for ${READY_MS / 1000} s, expected 200`,
      );
    await realDelay(POLL_MS);
  }
}

/**
 * Waits until the server accepts writes of new kinds. It delays the first create of a new kind by two seconds, in case other servers do not
 * know the kind yet.
 */
export async function takesWrites(upstream: Upstream, collections: readonly string[]): Promise<void> {
  // The request is invalid, but its answer does not matter: the server delays it as well.
  await Promise.all(collections.map((path) => ask(upstream, 'POST', path, {}, { dryRun: 'All' })));
}
