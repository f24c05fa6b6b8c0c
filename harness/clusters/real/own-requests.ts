/**
 * Requests to a real server in the name of stalemate itself, past the gate: what is made and waited for before and after runs.
 *
 * Start at {@link ask}, {@link make}.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { call } from 'stalemate-apiserver/wire/call';
import type { ApiRequest, ApiResponse, Method, Upstream } from 'stalemate-apiserver/wire/http';
import { isRedirect } from 'stalemate-apiserver/wire/redirect';
import { realDelay, realNow } from '../../determinism/real-time.ts';
import { HarnessError } from '../../model/errors.ts';

/** How long a server may take to serve a definition, and to make what it makes when it starts. */
const READY_MS = 30_000;
const POLL_MS = 20;

/**
 * One request.
 *
 * @throws {REFUSED} when the server redirects the client.
 * @throws {ConnectionFailure} when the connection broke before the answer.
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

/** @returns what is thrown when a server does so. */
export function sentElsewhere(code: number, what: string): HarnessError {
  return new HarnessError(
    'REFUSED',
    `the API server redirects requests (${code} to ${what}), expected the API server itself; the redirect was not followed; name the server itself`,
  );
}

/**
 * Makes an object.
 *
 * @param what It is called that in messages.
 * @throws {MANIFEST_INVALID} {CLUSTER_UNAVAILABLE} when the server refuses it.
 */
export async function make(upstream: Upstream, path: string, object: KubeObject, what: string): Promise<KubeObject> {
  const answer = await ask(upstream, 'POST', path, object);
  expectMade(answer, what);
  return answer.body as unknown as KubeObject;
}

/** @throws {MANIFEST_INVALID} {CLUSTER_UNAVAILABLE} when a server has not made it. */
export function expectMade({ code, body }: ApiResponse, what: string): void {
  if (code < 300) return;
  const { message = JSON.stringify(body) } = (typeof body === 'string' ? {} : body) as { readonly message?: string };
  const isForbidden = code === 403;
  throw new HarnessError(
    isForbidden ? 'CLUSTER_UNAVAILABLE' : 'MANIFEST_INVALID',
    `the API server answered ${code} to ${what}: ${message}; ${isForbidden ? 'expected credentials that may do so' : 'correct it'}`,
  );
}

/** Waits until something is served. @throws {CLUSTER_UNAVAILABLE} */
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

/** The first creates of a new kind wait two seconds at a server, in case there are others that do not know it yet. */
export async function takesWrites(upstream: Upstream, collections: readonly string[]): Promise<void> {
  // Whatever it says to nothing in particular, it has waited before that.
  await Promise.all(collections.map((path) => ask(upstream, 'POST', path, {}, { dryRun: 'All' })));
}
