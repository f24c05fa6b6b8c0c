/**
 * HTTP/1.1 exchanges, on top of Node's parser.
 *
 * Owns: writing answers, and the answer to a client that does not speak HTTP. Does not own: connections (`listener.ts`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { realSetImmediate } from '../../clock.ts';
import { collectBody, NO_BODY, type AnswerHeaders, type Credential, type Exchange } from './exchange.ts';

export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Exchange['headers'];
  readonly certified: Credential;
  readonly #incoming: IncomingMessage;
  readonly #response: ServerResponse;

  constructor(incoming: IncomingMessage, response: ServerResponse, certified: Credential) {
    this.method = incoming.method ?? 'GET';
    this.target = incoming.url ?? '/';
    this.headers = incoming.headers;
    this.certified = certified;
    this.#incoming = incoming;
    this.#response = response;
    // Go writes the Connection header only when it is about to close the connection.
    if (response.shouldKeepAlive) response.removeHeader('connection');
  }

  get full(): boolean {
    return this.#response.writableNeedDrain;
  }

  get started(): boolean {
    return this.#response.headersSent;
  }

  readBody(bytesMax: number, done: (body: Buffer | undefined) => void): void {
    const { headers } = this.#incoming;
    const announced = headers['content-length'];
    if ((announced === undefined || announced === '0') && headers['transfer-encoding'] === undefined) done(NO_BODY);
    else collectBody(this.#incoming, bytesMax, done);
  }

  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array, close = false): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    if (close) headers['connection'] = 'close';
    if (code === 413) response.writeHead(code, 'Request Entity Too Large', headers);
    else response.writeHead(code, headers);
    // Node would write head and body as one UTF-8 text, which corrupts the bytes of a warning.
    const bytes = typeof body === 'string' && headers['warning'] !== undefined ? Buffer.from(body) : body;
    if (bytes.length > TOGETHER_MAX) response.end(bytes);
    else together(() => response.end(bytes));
  }

  start(code: number, headers: AnswerHeaders): void {
    this.#response.writeHead(code, headers);
    this.#response.flushHeaders();
  }

  write(piece: string | Uint8Array): void {
    this.#response.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  end(): void {
    this.#response.end();
  }

  abort(): void {
    this.#response.destroy();
  }

  onClose(listener: () => void): void {
    this.#response.once('close', listener);
  }
}

/**
 * The maximum size of an answer that is sent together with other answers. Sending a larger answer takes longer than waking a client, so
 * waiting would save nothing.
 */
const TOGETHER_MAX = 32 * 1024;

let answers: (() => void)[] = [];

/**
 * Collects the answers to requests that arrived in one turn of the event loop, and sends them together at its end: a client with many
 * connections is woken once, and waking it takes longer than the rest of a request.
 */
function together(answer: () => void): void {
  if (answers.push(answer) > 1) return;
  realSetImmediate(() => {
    const ready = answers;
    answers = [];
    for (const one of ready) one();
  });
}

const NO_METHOD =
  '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","details":{},"code":405}\n';

/** An error of Node's parser. */
export interface ClientError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

/** Sends Go's answer to bytes that are not a valid request, then closes the connection. */
export function refuseConnection(error: ClientError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      socket.end(plain('431 Request Header Fields Too Large'));
      break;
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      socket.destroy();
      break;
    case 'HPE_INVALID_METHOD':
      if (isRequest(error)) refuseMethod(socket);
      else socket.end(plain('400 Bad Request'));
      break;
    default:
      socket.end(plain('400 Bad Request'));
  }
}

/** Reports whether bytes start with a request that Go accepts: Node's parser only accepts listed methods, Go's accepts any token. */
function isRequest({ rawPacket }: ClientError): boolean {
  return rawPacket !== undefined && /^[!-~]+ [!-~]+ HTTP\/1\.[01]\r\n/.test(rawPacket.toString('latin1', 0, 4096));
}

/** Refuses CONNECT, which Node reports separately, with 405, like any unsupported method. */
export function refuseMethod(socket: Duplex): void {
  socket.end(closing('405 Method Not Allowed', 'application/json', NO_METHOD));
}

/** Refuses a request without a Host header, which HTTP/1.1 requires. */
export function refuseHostless(socket: Duplex): void {
  socket.end(plain('400 Bad Request: missing required Host header'));
}

function plain(status: string): string {
  return `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${status}`;
}

function closing(status: string, type: string, body: string): string {
  return `HTTP/1.1 ${status}\r\nCache-Control: no-cache, private\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}
