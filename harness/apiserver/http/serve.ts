/**
 * The HTTP shell: an {@link Upstream} behind a socket on loopback.
 *
 * Owns: bodies, framing, limits, watch time-outs. Does not own: what the answers say. Knows nothing of the embedded server, so that
 * anything that answers API requests can be served. Start at {@link serveHttp}.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realClearTimeout, realSetTimeout } from '../../determinism/real-time.ts';
import type { JsonValue } from '../../model/object.ts';
import type { ApiRequest, ApiResponse, Method, ResponseSink, Upstream } from '../../wire/http.ts';
import { failure } from '../../wire/status.ts';
import { listAsSent } from '../../wire/typed-list.ts';
import { decodeBody, metadataOf, wanted, type Wanted } from './media.ts';

export interface ServeOptions {
  /** 0 (default) lets the system choose. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** How long a watch without timeoutSeconds lives. Real servers draw from 1800 to 3600. */
  readonly watchTimeoutSeconds?: number;
}

export interface HttpServer {
  /** `http://127.0.0.1:8001`. */
  readonly url: string;
  readonly port: number;
  /** Ends watches, drops connections and frees the port. */
  close(): Promise<void>;
}

/** kube-apiserver's limit on request bodies. */
const BODY_BYTES_MAX = 3 * 1024 * 1024;
/** A watcher this far behind is dropped by a plain close, as kube-apiserver does. */
const WATCH_BACKLOG_BYTES_MAX = 16 * 1024 * 1024;
const WATCH_TIMEOUT_SECONDS = 1800;

const TOO_LARGE = failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${BODY_BYTES_MAX}`);
const NOT_ACCEPTABLE = failure(
  406,
  'NotAcceptable',
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
);

/** Serves `upstream` over HTTP/1.1 and resolves once it listens. */
export async function serveHttp(upstream: Upstream, options: ServeOptions = {}): Promise<HttpServer> {
  const watchTimeoutSeconds = options.watchTimeoutSeconds ?? WATCH_TIMEOUT_SECONDS;
  const server = createServer((incoming, response) => {
    handle(upstream, incoming, response, watchTimeoutSeconds).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else respond(response, PLAIN, failure(500, 'InternalError', `Internal error occurred: ${String(error)}`), false);
    });
  });
  const host = options.host ?? '127.0.0.1';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}`, port, close: () => closeServer(server) };
}

const PLAIN: Wanted = { metadataOnly: false };

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(
  upstream: Upstream,
  incoming: IncomingMessage,
  response: ServerResponse,
  watchTimeoutSeconds: number,
): Promise<void> {
  const request = await readRequest(incoming);
  if (request === undefined) {
    respond(response, PLAIN, TOO_LARGE, false);
    return;
  }
  const want = wanted(request.headers['accept'] ?? '');
  if (want === undefined) {
    respond(response, PLAIN, NOT_ACCEPTABLE, false);
    return;
  }
  const pretty = wantsPretty(request);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let cancel = (): void => {};
  const sink: ResponseSink = {
    answer: (answer) => respond(response, want, answer, pretty),
    open: () => {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
      response.flushHeaders();
      timer = realSetTimeout(
        () => {
          cancel();
          response.end();
        },
        secondsOf(request.query['timeoutSeconds'], watchTimeoutSeconds) * 1000,
      );
    },
    event: ({ type, object }) => {
      if (response.writableLength > WATCH_BACKLOG_BYTES_MAX) {
        cancel();
        response.end();
        return;
      }
      const shown = want.metadataOnly && type !== 'ERROR' ? metadataOf(object) : object;
      response.write(`${JSON.stringify({ type, object: shown })}\n`);
    },
    end: (error) => {
      if (error === undefined) response.end();
      else response.destroy();
    },
  };
  response.on('close', () => {
    realClearTimeout(timer);
    cancel();
  });
  cancel = upstream.send(request, sink);
}

function secondsOf(text: string | undefined, otherwise: number): number {
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : otherwise;
}

/** Browsers and command lines get indented JSON, as from kube-apiserver. */
function wantsPretty({ query, headers }: ApiRequest): boolean {
  if (query['pretty'] !== undefined) return query['pretty'] !== 'false' && query['pretty'] !== '0';
  return /^(curl|Wget|Mozilla\/)/.test(headers['user-agent'] ?? '');
}

/** The request with its body; undefined when the body is too large. */
async function readRequest(incoming: IncomingMessage): Promise<ApiRequest | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read on: a client that is still sending would see a reset instead of the answer.
    if (size <= BODY_BYTES_MAX) chunks.push(chunk);
  }
  if (size > BODY_BYTES_MAX) return undefined;
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://server');
  const query: { [key: string]: string } = {};
  for (const [key, value] of searchParams) query[key] ??= value;
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  const method = (incoming.method ?? 'GET') as Method;
  return {
    method,
    path: pathname,
    query,
    headers,
    ...decodeBody(Buffer.concat(chunks), headers['content-type'] ?? ''),
  };
}

function respond(response: ServerResponse, want: Wanted, answer: ApiResponse, pretty: boolean): void {
  if (response.headersSent) return;
  const { code, body, headers, plainText } = answer;
  let text: string;
  let type = 'application/json';
  if (plainText === true || typeof body === 'string') {
    text = typeof body === 'string' ? body : JSON.stringify(body);
    type = 'text/plain; charset=utf-8';
  } else text = JSON.stringify(shown(want, code, body), undefined, pretty ? 2 : 0);
  response.writeHead(code, {
    'content-type': type,
    'cache-control': 'no-cache, private',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

function shown(want: Wanted, code: number, body: JsonValue): JsonValue {
  return want.metadataOnly && code < 300 ? metadataOf(body) : listAsSent(body);
}
