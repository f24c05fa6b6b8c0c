/**
 * A simple REST store, implemented by requests to the API server that stores its resources.
 *
 * `POST /disks` creates a resource with a generated id or, with an `Idempotency-Key`, the resource for that key; `PUT /disks/a` creates or
 * replaces; `GET`, `PATCH` (JSON merge patch) and `DELETE` work as usual; `GET /disks` lists. Bodies and answers are JSON objects; answers
 * include the `id`. Owns: the translation, both ways. Pure. Start at {@link toRequest} and {@link toAnswer}.
 */
import { createHash } from 'node:crypto';
import { isMap } from 'stalemate-apiserver/objects/json';
import type { JsonObject, JsonValue, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Method } from 'stalemate-apiserver/wire/http';
import { COLLECTION, OUTSIDE_API, OUTSIDE_PATH, RESOURCE_ID } from '../../model/outside.ts';

export interface RestCall {
  readonly method: string;
  /** `/disks/a`. */
  readonly path: string;
  /** With lower-case names. */
  readonly headers: { readonly [name: string]: string };
  /** As sent; empty if there is no body. */
  readonly text: string;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  /** JSON; empty for 204. */
  readonly text: string;
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,60}[a-z0-9])?$/;

/** Translates a call into a request to the server, or returns the answer to an invalid call. */
export function toRequest({ method, path, headers, text }: RestCall): ApiRequest | RestAnswer {
  const [collection = '', id, ...more] = path
    .replace(/\?.*$/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  if (!NAME.test(collection) || more.length > 0) {
    return refusal(404, `got ${method} ${path}, expected /COLLECTION or /COLLECTION/ID`);
  }
  const body = parsed(text);
  if (body === undefined) return refusal(400, 'expected a JSON object as body');
  const about = metadataOf(collection, id);
  switch (`${method} ${id === undefined ? 'all' : 'one'}`) {
    case 'GET all':
      return request('GET', OUTSIDE_PATH, { labelSelector: `${COLLECTION}=${collection}` });
    case 'POST all': {
      const key = headers['idempotency-key'];
      if (key !== undefined) return put(collection, `key-${digest(key)}`, body);
      return request('POST', OUTSIDE_PATH, {}, { ...OUTSIDE_API, metadata: about, spec: body });
    }
    case 'GET one':
      return request('GET', pathOf(collection, id ?? ''));
    case 'PUT one':
      return put(collection, id ?? '', body);
    case 'PATCH one':
      return request('PATCH', pathOf(collection, id ?? ''), {}, { spec: body }, 'application/merge-patch+json');
    case 'DELETE one':
      return request('DELETE', pathOf(collection, id ?? ''));
    default:
      return refusal(
        405,
        `got ${method} ${path}, expected GET or POST of a collection, GET, PUT, PATCH or DELETE of one resource`,
      );
  }
}

/** Translates the server's answer for the target. */
export function toAnswer(response: ApiResponse): RestAnswer {
  const { code, body } = response;
  const headers: { [name: string]: string } = { 'content-type': 'application/json' };
  const wait = response.headers?.['retry-after'];
  if (wait !== undefined) headers['retry-after'] = wait;
  const map: JsonObject = isMap(body) ? body : {};
  if (code >= 400) {
    const message = typeof map['message'] === 'string' ? map['message'] : `status ${code}`;
    return { status: code, headers, text: JSON.stringify({ error: message }) };
  }
  if (map['kind'] === 'Status') return { status: 204, headers: {}, text: '' };
  if (Array.isArray(map['items'])) {
    return { status: code, headers, text: JSON.stringify((map['items'] as readonly KubeObject[]).map(shown)) };
  }
  return { status: code, headers, text: JSON.stringify(shown(map as KubeObject)) };
}

export function isAnswer(value: ApiRequest | RestAnswer): value is RestAnswer {
  return 'status' in value;
}

/** Returns the request for a PUT: a server-side apply, because no other request creates or replaces an object idempotently. */
function put(collection: string, id: string, body: JsonObject): ApiRequest {
  return request(
    'PATCH',
    pathOf(collection, id),
    { fieldManager: 'outside', force: 'true' },
    { ...OUTSIDE_API, metadata: metadataOf(collection, id), spec: body },
    'application/apply-patch+yaml',
  );
}

function request(
  method: Method,
  path: string,
  query: ApiRequest['query'] = {},
  body?: JsonObject,
  contentType = 'application/json',
): ApiRequest {
  const headers: { readonly [name: string]: string } = {
    'user-agent': 'outside',
    ...(body === undefined ? {} : { 'content-type': contentType }),
  };
  return { method, path, query, headers, ...(body === undefined ? {} : { body }) };
}

function metadataOf(collection: string, id: string | undefined): JsonObject {
  const labels = { [COLLECTION]: collection };
  if (id === undefined) return { generateName: `${collection}-`, labels };
  return { name: nameOf(collection, id), labels, annotations: { [RESOURCE_ID]: id } };
}

function pathOf(collection: string, id: string): string {
  return `${OUTSIDE_PATH}/${nameOf(collection, id)}`;
}

/** Returns the name of the object. Targets choose the ids; an id that is not a valid object name is replaced by its digest. */
function nameOf(collection: string, id: string): string {
  return `${collection}-${NAME.test(id) ? id : digest(id)}`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function shown({ metadata, ...rest }: KubeObject): JsonObject {
  const collection = metadata.labels?.[COLLECTION] ?? '';
  const id = metadata.annotations?.[RESOURCE_ID] ?? (metadata.name ?? '').slice(collection.length + 1);
  const spec = rest['spec'];
  return { ...(isMap(spec ?? null) ? (spec as JsonObject) : {}), id };
}

function parsed(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    const value = JSON.parse(text) as JsonValue;
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(status: number, message: string): RestAnswer {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify({ error: message }) };
}
