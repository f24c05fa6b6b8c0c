/**
 * Requests to the server over HTTP/1.1, on keep-alive connections.
 *
 * Owns: the pool, and one retry of a read, in case the server has just closed the keep-alive connection. Bodies and heads pass unchanged.
 */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AnswerReader, RawHeaders, RemoteConnection, RemoteExchange, RequestHead } from './exchange.ts';

const http = process.getBuiltinModule('node:http');

/** Opens a connection, with TLS if needed. */
export type Dial = () => Socket;

/** An idle keep-alive connection is closed after this time, before the server closes it: kube-apiserver waits 90 s. */
const IDLE_MS = 30_000;

export class Http1Remote implements RemoteConnection {
  readonly #agent: Agent;
  readonly #dial: Dial;

  constructor(dial: Dial) {
    this.#dial = dial;
    const limits = { maxSockets: Number.POSITIVE_INFINITY, timeout: IDLE_MS };
    this.#agent = new http.Agent({ keepAlive: true, scheduling: 'lifo', ...limits });
    // All requests go to one server, so one pool serves all.
    Object.assign(this.#agent, { getName: () => 'remote', createConnection: () => dial() });
  }

  open(head: RequestHead, hasBody: boolean, reader: AnswerReader): RemoteExchange {
    return new Http1Exchange(this.#agent, head, hasBody, reader);
  }

  /** Requests a protocol upgrade. `upgraded` gets the connection if the server agrees; otherwise `reader` gets an ordinary answer. */
  upgrade(
    head: RequestHead,
    reader: AnswerReader,
    upgraded: (head: IncomingMessage, socket: Duplex, first: Buffer) => void,
  ): () => void {
    const dial = this.#dial;
    const request = http.request({
      method: head.method,
      path: head.target,
      headers: head.headers as string[],
      createConnection: () => dial(),
    });
    request.on('upgrade', (answer, socket, first) => upgraded(answer, socket, first));
    request.on('response', (answer) => {
      reader.head(headOf(answer));
      answer.on('data', (piece: Buffer) => reader.data(piece));
      answer.on('end', () => reader.end(answer.rawTrailers));
      answer.on('error', (error) => reader.fail(error));
    });
    request.on('error', (error) => reader.fail(error));
    request.end();
    return () => request.destroy();
  }

  close(): void {
    this.#agent.destroy();
  }
}

class Http1Exchange implements RemoteExchange {
  readonly #agent: Agent;
  readonly #head: RequestHead;
  readonly #reader: AnswerReader;
  #request: ClientRequest;
  #answer: IncomingMessage | undefined;
  #retries: boolean;
  #aborted = false;
  #paused = false;

  constructor(agent: Agent, head: RequestHead, hasBody: boolean, reader: AnswerReader) {
    this.#agent = agent;
    this.#head = head;
    this.#reader = reader;
    this.#retries = !hasBody && (head.method === 'GET' || head.method === 'HEAD');
    this.#request = this.#send();
    if (!hasBody) this.#request.end();
  }

  #send(): ClientRequest {
    const { method, target, headers } = this.#head;
    const request = http.request({ agent: this.#agent, method, path: target, headers: headers as string[] });
    request.on('response', (answer) => this.#answered(answer));
    request.on('error', (error) => this.#failed(request, error));
    return request;
  }

  #answered(answer: IncomingMessage): void {
    const reader = this.#reader;
    this.#answer = answer;
    reader.head(headOf(answer));
    answer.on('data', (piece: Buffer) => reader.data(piece));
    answer.on('end', () => reader.end(answer.rawTrailers));
    answer.on('error', (error) => {
      if (!this.#aborted) reader.fail(error);
    });
    if (this.#paused) answer.pause();
  }

  #failed(request: ClientRequest, error: Error): void {
    if (this.#aborted || this.#answer !== undefined) return;
    if (this.#retries && request.reusedSocket) {
      this.#retries = false;
      this.#request = this.#send();
      this.#request.end();
    } else this.#reader.fail(error);
  }

  write(piece: Uint8Array): boolean {
    return this.#request.write(piece);
  }

  onDrain(listener: () => void): void {
    this.#request.on('drain', listener);
  }

  end(trailers: RawHeaders): void {
    if (trailers.length > 0) this.#request.addTrailers(pairs(trailers));
    this.#request.end();
  }

  pause(): void {
    this.#paused = true;
    this.#answer?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#answer?.resume();
  }

  abort(): void {
    this.#aborted = true;
    this.#request.destroy();
  }
}

function headOf(answer: IncomingMessage): { code: number; message: string; headers: RawHeaders } {
  return { code: answer.statusCode ?? 0, message: answer.statusMessage ?? '', headers: answer.rawHeaders };
}

/** Returns headers as pairs, the form that `addTrailers` accepts. */
export function pairs(headers: RawHeaders): [string, string][] {
  const list: [string, string][] = [];
  for (let at = 0; at < headers.length; at += 2) list.push([headers[at] ?? '', headers[at + 1] ?? '']);
  return list;
}
