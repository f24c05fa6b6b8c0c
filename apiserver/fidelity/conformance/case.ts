/**
 * A conformance case and what it runs with: the server at one URL, a namespace of its own, and assertions that report the actual answer.
 *
 * Cases expect the answers of a real kube-apiserver; the same cases run on the embedded server and on a real one.
 */
import { isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import type { ApiClient, OpenStream, Reply } from '../differential/client.ts';
import { plain } from '../differential/compare.ts';
import { GROUP } from '../differential/crds.ts';

export interface ConformanceCase {
  readonly name: string;
  /** The numbers of the behaviours that the case covers. */
  readonly items: readonly number[];
  readonly run: (t: Tester) => Promise<void>;
}

/** The expected answer: a code, optionally with a reason and a part of the message, for example `422 Invalid: must be positive`. */
export type Expected = number | string;

const EXPECTED = /^(\d+)(?: (\(no reason\)|\w+))?(?:: (.*))?$/s;

function parsed(expected: Expected): { readonly code: number; readonly reason?: string; readonly message?: string } {
  const [, code, reason, message] = EXPECTED.exec(String(expected)) ?? [];
  return {
    code: Number(code),
    ...(reason === undefined ? {} : { reason: reason === '(no reason)' ? '' : reason }),
    ...(message === undefined ? {} : { message }),
  };
}

const PATCHES: { readonly [word: string]: string } = {
  JSON: 'application/json-patch+json',
  MERGE: 'application/merge-patch+json',
  STRATEGIC: 'application/strategic-merge-patch+json',
  APPLY: 'application/apply-patch+yaml',
};

export class Tester {
  readonly namespace: string;
  readonly client: ApiClient;

  constructor(client: ApiClient, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  get widgets(): string {
    return `/apis/${GROUP}/v1/namespaces/${this.namespace}/widgets`;
  }

  core(resource: string): string {
    return `/api/v1/namespaces/${this.namespace}/${resource}`;
  }

  /** Sends a request. `word`: `POST`, `GET`, …, or `JSON`, `MERGE`, `STRATEGIC`, `APPLY` for the patches. */
  async call(word: string, path: string, expected: Expected, body?: JsonValue): Promise<JsonObject> {
    return (await this.reply(word, path, expected, body)).object;
  }

  async reply(
    word: string,
    path: string,
    expected: Expected,
    body?: JsonValue,
    headers: { readonly [name: string]: string } = {},
  ): Promise<Reply & { readonly object: JsonObject }> {
    const type = PATCHES[word];
    const method = type === undefined ? word : 'PATCH';
    const own = { ...(type === undefined ? {} : { 'content-type': type }), 'user-agent': 'conformance', ...headers };
    const reply = await this.client.request({ method, path, body, headers: own });
    const { code, reason, message } = parsed(expected);
    const object = isMap(reply.body) ? reply.body : {};
    const answered = `${word} ${path} answered ${reply.code} ${JSON.stringify(reply.body)?.slice(0, 400)}`;
    check(reply.code === code, `${answered}, expected ${code}`);
    if (reason !== undefined) check((object['reason'] ?? '') === reason, `${answered}, expected reason ${reason}`);
    if (message !== undefined) {
      const text = typeof reply.body === 'string' ? reply.body : object['message'];
      check(typeof text === 'string' && text.includes(message), `${answered}, expected "${message}"`);
    }
    return { ...reply, object };
  }

  /** Sends a raw body: bytes, or text with an explicit content type. `shows` reads the text of the answer. */
  async send(
    method: string,
    path: string,
    expected: Expected,
    bytes: Uint8Array | string | undefined,
    headers: { readonly [name: string]: string },
    shows?: (text: string) => boolean,
  ): Promise<JsonObject> {
    const reply = await this.client.request({ method, path, bytes: bytes ?? '', headers });
    const { code, reason } = parsed(expected);
    const object = isMap(reply.body) ? reply.body : {};
    check(
      reply.code === code,
      `${method} ${path} answered ${reply.code} ${reply.text.slice(0, 400)}, expected ${code}`,
    );
    if (reason !== undefined) same(object['reason'], reason, 'the reason');
    if (shows !== undefined) check(shows(reply.text), `${method} ${path} answered ${reply.text.slice(0, 400)}`);
    return object;
  }

  /** Returns the text of an answer to GET. */
  async text(path: string, headers: { readonly [name: string]: string } = {}): Promise<string> {
    return (await this.client.request({ method: 'GET', path, headers })).text;
  }

  /** Retries a PUT until it is answered with `code`: some rules take effect with a delay. */
  async until(path: string, code: number, body: JsonValue): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      const reply = await this.client.request({ method: 'PUT', path, body });
      if (reply.code === code) return;
    }
    throw new Error(`PUT ${path} is never answered ${code}`);
  }

  /** Retries a dry-run POST until it is refused with `code`. */
  async refused(path: string, code: number, body: JsonValue): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      const reply = await this.client.request({ method: 'POST', path: `${path}?dryRun=All`, body });
      if (reply.code === code) return;
    }
    throw new Error(`POST ${path} is never answered ${code}`);
  }

  /** Retries a GET until it succeeds: discovery lags behind the condition of a definition. */
  async served(path: string): Promise<void> {
    for (let tries = 0; tries < 20_000; tries++)
      if ((await this.client.request({ method: 'GET', path })).code === 200) return;
    throw new Error(`${path} is never served`);
  }

  /** Waits until a path is answered with 404. */
  async gone(path: string): Promise<void> {
    for (let tries = 0; tries < 20_000; tries++)
      if ((await this.client.request({ method: 'GET', path })).code === 404) return;
    throw new Error(`${path} never goes`);
  }

  watch(path: string): Promise<OpenStream> {
    return this.client.watch({ method: 'GET', path });
  }

  /** Returns the first events of a watch, as `ADDED a`; fails if they do not arrive in time. */
  async events(stream: OpenStream, count: number): Promise<readonly string[]> {
    let seen = 0;
    const came = await stream.until(() => ++seen >= count, 5000);
    check(came, `a watch brought ${stream.events.length} events, expected ${count}`);
    stream.close();
    return stream.events
      .slice(0, count)
      .map(({ type, object }) => `${type} ${plain(at(object, 'metadata.name') ?? '-')}`);
  }
}

/** Fails the case with the text `otherwise` unless `condition` is true. */
export function check(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [a, b] = [sorted(actual), sorted(expected)];
  check(a === b, `${what} is ${a}, expected ${b}`);
}

/** Returns a value as JSON with sorted keys, because servers order keys differently. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isMap(inner as JsonValue)
      ? Object.fromEntries(Object.entries(inner as JsonObject).toSorted(([x], [y]) => (x < y ? -1 : 1)))
      : inner,
  );
}

/** Returns the value at a dotted path. */
export function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let current = value;
  for (const key of path.split('.'))
    current = Array.isArray(current) ? (current[Number(key)] as JsonValue) : isMap(current) ? current[key] : undefined;
  return current;
}

export function widget(name: string, spec: JsonObject = { size: 1 }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata: { name, ...metadata }, spec };
}

export function configMap(name: string, data: JsonObject = { a: '1' }, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export interface CaseResult {
  readonly name: string;
  readonly problem: string | undefined;
}

let runs = 0;

export async function runCase(one: ConformanceCase, client: ApiClient): Promise<CaseResult> {
  const namespace = `case-${++runs}`;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  try {
    await client.request({ method: 'POST', path: '/api/v1/namespaces', body });
    await one.run(new Tester(client, namespace));
    return { name: one.name, problem: undefined };
  } catch (error) {
    return { name: one.name, problem: error instanceof Error ? error.message : String(error) };
  }
}
