/**
 * Puts load on an API server: one request, repeated on a number of TLS connections. A separate process, so that the load does not share a
 * thread with the measured server. Implements just enough HTTP/1.1 itself: Node's client takes more time per request than the server under
 * test.
 *
 * Reads a job as JSON from its first argument, and prints a result as JSON.
 */
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { get } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import type { LoadJob, LoadResult } from './http-jobs.ts';

const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
const { hostname, port } = new URL(job.url);

/** Sends requests on one connection, and receives their responses in order. */
class Connection {
  readonly #socket: TLSSocket;
  #pending: Buffer = Buffer.alloc(0);
  #resolve: ((code: number) => void) | undefined;
  /** Remaining bytes of the body; negative until the header is complete. */
  #left = -1;
  #chunked = false;
  #code = 0;
  bytes = 0;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on('data', (piece: Buffer) => this.#receive(piece));
  }

  static open(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({
        host: hostname,
        port: Number(port),
        rejectUnauthorized: false,
        ALPNProtocols: ['http/1.1'],
      });
      socket.setNoDelay(true);
      socket.once('error', reject);
      socket.once('secureConnect', () => resolve(new Connection(socket)));
    });
  }

  send(request: string): Promise<number> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#socket.write(request);
    });
  }

  /** Sends a request and passes every chunk of its response to `onPiece`. */
  stream(request: string, onPiece: (piece: Buffer) => void): void {
    this.#socket.removeAllListeners('data');
    this.#socket.on('data', onPiece);
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.#left >= 0 && !this.#chunked) {
      this.#left -= piece.length;
      if (this.#left <= 0) this.#done();
      return;
    }
    if (this.#chunked) {
      // Of a chunked body only the end is checked.
      const tail = Buffer.concat([this.#pending, piece]).subarray(-5);
      this.#pending = tail;
      if (tail.toString('latin1') === '0\r\n\r\n') this.#done();
      return;
    }
    const all = this.#pending.length === 0 ? piece : Buffer.concat([this.#pending, piece]);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#pending = all;
      return;
    }
    const head = all.toString('latin1', 0, end);
    this.#code = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    this.#chunked = length === undefined;
    const rest = all.subarray(end + 4);
    this.#left = 0;
    this.#pending = Buffer.alloc(0);
    if (this.#chunked) {
      this.#pending = rest.subarray(-5);
      if (this.#pending.toString('latin1') === '0\r\n\r\n') this.#done();
      return;
    }
    this.#left = Number(length) - rest.length;
    if (this.#left <= 0) this.#done();
  }

  #done(): void {
    this.#left = -1;
    this.#chunked = false;
    this.#pending = Buffer.alloc(0);
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(this.#code);
  }
}

/** Sends one request at a time, each as a new stream on a session that all instances share. */
class Stream {
  readonly #session: ClientHttp2Session;

  constructor(session: ClientHttp2Session) {
    this.#session = session;
  }

  send(n: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const body = numbered(job.body, n);
      const stream = this.#session.request(
        {
          ':method': job.method,
          ':path': numbered(job.path, n),
          authorization: `Bearer ${job.token}`,
          accept: 'application/json',
          ...(body === '' ? {} : { 'content-type': job.contentType }),
        },
        { endStream: body === '' },
      );
      let code = 0;
      stream.once('response', (headers) => (code = headers[':status'] ?? 0));
      stream.once('error', reject);
      stream.once('end', () => resolve(code));
      stream.resume();
      if (body !== '') stream.end(body);
    });
  }

  close(): void {
    this.#session.destroy();
  }
}

async function openAll(): Promise<readonly { send(n: number): Promise<number>; close(): void }[]> {
  if (job.http2 !== true) {
    const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open()));
    return connections.map((connection) => ({
      send: (n) => connection.send(requestAt(n)),
      close: () => connection.close(),
    }));
  }
  const session = connectHttp2(job.url, { rejectUnauthorized: false });
  await new Promise<void>((resolve, reject) => {
    session.once('connect', () => resolve());
    session.once('error', reject);
  });
  return Array.from({ length: job.connections }, () => new Stream(session));
}

function text(method: string, path: string, type: string, body: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${job.token}\r\nAccept: application/json\r\nUser-Agent: load\r\n`;
  return body === ''
    ? `${head}\r\n`
    : `${head}Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function numbered(template: string, n: number): string {
  return template.replaceAll('%n', String(n % job.modulo)).replaceAll('%u', String(n));
}

function requestAt(n: number): string {
  return text(job.method, numbered(job.path, n), job.contentType, numbered(job.body, n));
}

async function load(): Promise<LoadResult> {
  const connections = await openAll();
  let next = job.from;
  let done = 0;
  const codes: { [code: number]: number } = {};
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + job.seconds * 1000;
  const last = job.from + job.countMax;
  await Promise.all(
    connections.map(async (connection) => {
      while (next < last) {
        const before = performance.now();
        if (before >= until) break;
        const code = await connection.send(next++);
        latencies.push(performance.now() - before);
        codes[code] = (codes[code] ?? 0) + 1;
        done++;
      }
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor(latencies.length * share)] ?? 0;
  return { done, perSecond: done / seconds, p50Ms: at(0.5), p99Ms: at(0.99), codes };
}

/** Returns the resource version at which the watches start, so that they receive no earlier events. */
function latestVersion(): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${job.token}` };
    get(`${job.url}${job.list}`, { headers, rejectUnauthorized: false }, (response) => {
      let body = '';
      response.on('data', (piece: Buffer) => (body += piece.toString()));
      response.on('end', () => {
        const { metadata } = JSON.parse(body) as { metadata: { resourceVersion: string } };
        resolve(metadata.resourceVersion);
      });
    }).once('error', reject);
  });
}

/** Measures events per second over all watchers together, while one connection writes. */
async function fanOut(watchers: number): Promise<LoadResult> {
  const version = await latestVersion();
  const watching = await Promise.all(Array.from({ length: watchers }, () => Connection.open()));
  let events = 0;
  let opened = 0;
  await new Promise<void>((resolve) => {
    for (const connection of watching) {
      let seen = false;
      connection.stream(text('GET', `${job.watch}${version}`, '', ''), (piece) => {
        if (!seen) {
          seen = true;
          if (++opened === watchers) resolve();
        }
        for (let at = piece.indexOf('"type":"MODIFIED"'); at >= 0; at = piece.indexOf('"type":"MODIFIED"', at + 1))
          events++;
      });
    }
  });
  const writer = await Connection.open();
  const started = performance.now();
  const until = started + job.seconds * 1000;
  let writes = 0;
  // At most ten writes may be undelivered: otherwise the server that queues the most events would get the best result.
  while (performance.now() < until) {
    await writer.send(requestAt(job.from + writes++));
    while (writes * watchers - events > 10 * watchers && performance.now() < until + 5000)
      await new Promise((resolve) => setImmediate(resolve));
  }
  while (events < writes * watchers && performance.now() < until + 5000)
    await new Promise((resolve) => setImmediate(resolve));
  const seconds = (performance.now() - started) / 1000;
  for (const connection of [...watching, writer]) connection.close();
  return { done: events, perSecond: events / seconds, p50Ms: 0, p99Ms: 0, codes: { 200: writes } };
}

const result = job.watchers > 0 ? await fanOut(job.watchers) : await load();
process.stdout.write(JSON.stringify(result));
process.exit(0);
