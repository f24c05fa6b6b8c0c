/**
 * Conversion between the wire's JSON values and the bytes that client-node expects.
 *
 * Owns: decoding a request, writing an answer or a watch frame as text, naming a broken connection as Node would. Objects from the API
 * server are immutable and shared, so each is serialised once.
 */
import { yaml } from '../server/http/yaml-library.ts';
import type { JsonObject, JsonValue } from '../objects/object.ts';
import type { WatchEvent } from '../objects/watch-event.ts';
import { listAsSent } from '../wire/typed-list.ts';
import type { ApiRequest, ApiResponse, ConnectionError, Method } from '../wire/http.ts';

/** The maximum number of cached queries. Most queries repeat, but those with a resource version do not. */
const QUERIES_MAX = 5_000;

const queries = new Map<string, { readonly [key: string]: string }>();
const NO_QUERY: { readonly [key: string]: string } = Object.freeze({});
const lowerCased = new Map<string, string>();
const texts = new WeakMap<object, string>();

/** Returns the headers as a plain object with lower-case names. */
export function lowerCaseHeaders(headers: { readonly [name: string]: unknown }): { [name: string]: string } {
  const result: { [name: string]: string } = {};
  for (const name in headers) result[lowerCase(name)] = String(headers[name]);
  return result;
}

function lowerCase(name: string): string {
  let lower = lowerCased.get(name);
  if (lower === undefined) {
    lower = name.toLowerCase();
    lowerCased.set(name, lower);
  }
  return lower;
}

/** Decodes a request. `pathAndQuery` is as on a request line; header names are lower-case. */
export function decodeRequest(
  method: string,
  pathAndQuery: string,
  headers: { readonly [name: string]: string },
  text: string | undefined,
): ApiRequest {
  const mark = pathAndQuery.indexOf('?');
  const path = mark < 0 ? pathAndQuery : pathAndQuery.slice(0, mark);
  const query = mark < 0 ? NO_QUERY : parseQuery(pathAndQuery.slice(mark + 1));
  const request = { method: method as Method, path, query, headers };
  if (text === undefined || text === '') return request;
  try {
    return { ...request, body: JSON.parse(text) as JsonValue };
  } catch {
    return { ...request, ...decodeYaml(headers['content-type'] ?? '', text) };
  }
}

function parseQuery(text: string): { readonly [key: string]: string } {
  let query = queries.get(text);
  if (query === undefined) {
    query = Object.freeze(Object.fromEntries(new URLSearchParams(text)));
    if (queries.size >= QUERIES_MAX) queries.clear();
    queries.set(text, query);
  }
  return query;
}

/** Decodes the body of a server-side apply, which may be YAML. */
function decodeYaml(contentType: string, text: string): { body: JsonValue } | { undecodable: string } {
  if (!contentType.includes('yaml')) return { undecodable: text };
  try {
    return { body: yaml().parse(text, { logLevel: 'silent' }) as JsonValue };
  } catch {
    return { undecodable: text };
  }
}

/** Returns the body of an answer as text. */
export function responseText(response: ApiResponse): string {
  const { body } = response;
  if (typeof body === 'string') return response.plainText === true ? body : JSON.stringify(body);
  return jsonText(listAsSent(body));
}

export function contentTypeOf(response: ApiResponse): string {
  return response.plainText === true ? 'text/plain; charset=utf-8' : 'application/json';
}

/** Returns one frame of a watch, with its line end. */
export function frameText({ type, object }: WatchEvent): string {
  return `{"type":"${type}","object":${jsonText(object)}}\n`;
}

/** Returns the JSON text of a value, cached per object. The text of a list is assembled from its items' texts. */
function jsonText(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = texts.get(value);
  if (text === undefined) {
    text = isList(value) ? listText(value) : JSON.stringify(value);
    texts.set(value, text);
  }
  return text;
}

function isList(value: object): value is JsonObject & { readonly items: readonly JsonValue[] } {
  return 'items' in value && Array.isArray(value.items);
}

function listText(list: JsonObject & { readonly items: readonly JsonValue[] }): string {
  let text = '';
  for (const key in list) {
    const value = list[key];
    if (value === undefined) continue;
    const valueText = key === 'items' ? `[${list.items.map(jsonText).join(',')}]` : JSON.stringify(value);
    text += `${text === '' ? '{' : ','}${JSON.stringify(key)}:${valueText}`;
  }
  return `${text}}`;
}

const SYSCALLS = { ECONNRESET: 'read', ECONNREFUSED: 'connect', ETIMEDOUT: 'connect' } as const;
/** The errno values of Linux, as libuv reports them. */
const ERRNOS = { ECONNRESET: -104, ECONNREFUSED: -111, ETIMEDOUT: -110 } as const;

/** Returns the error that Node's network layer raises. */
export function nodeError({ code, message }: ConnectionError): Error {
  const syscall = SYSCALLS[code];
  return ofTheNetwork(
    Object.assign(new Error(message === '' ? `${syscall} ${code}` : message), {
      code,
      errno: ERRNOS[code],
      syscall,
    }),
  );
}

/** Returns the error that `fetch` rejects with when the connection broke before the answer. */
export function fetchFailure(error: ConnectionError): TypeError {
  return ofTheNetwork(new TypeError('fetch failed', { cause: nodeError(error) }));
}

/** Removes the stack: an error that Node's sockets raise has no frames of the calling code. */
function ofTheNetwork<E extends Error>(error: E): E {
  error.stack = `${error.name}: ${error.message}`;
  return error;
}
