/**
 * Raw requests to an API server by URL, over HTTP/2 and TLS: no retries, no decoding, no added headers.
 *
 * Owns: one session per server, answers, streams of watch events. Start at {@link ApiClient}.
 */
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2';
import { realClearTimeout, realSetTimeout } from '../../clock.ts';
import type { JsonValue } from '../../objects/object.ts';

export interface Endpoint {
  /** The server's name in reports. */
  readonly name: string;
  readonly url: string;
  /** The certificate authority to trust, as PEM. */
  readonly ca: string;
  readonly token: string;
}

export interface Ask {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers?: { readonly [name: string]: string };
  /** The body: text is sent unchanged, anything else as JSON. */
  readonly body?: JsonValue | undefined;
  /** A raw body, sent instead of `body`; its content type is among the headers. */
  readonly bytes?: Uint8Array | string;
}

export interface Reply {
  readonly code: number;
  readonly headers: { readonly [name: string]: string | readonly string[] };
  /** The body, parsed when it is JSON. */
  readonly body: JsonValue;
  readonly text: string;
}

export interface StreamedEvent {
  readonly type: string;
  readonly object: JsonValue;
}

export interface OpenStream {
  /** The head of the answer, and its body unless it is a stream. */
  readonly reply: Reply;
  readonly events: readonly StreamedEvent[];
  readonly ended: () => boolean;
  /** Resolves with true once a matching event has arrived, and with false when the stream ends or the time is up. */
  until(passes: (event: StreamedEvent) => boolean, timeoutMs: number): Promise<boolean>;
  close(): void;
}

/** The longest wait for an answer. */
const ANSWER_TIMEOUT_MS = 40_000;

export class ApiClient {
  readonly endpoint: Endpoint;
  #session: ClientHttp2Session | undefined;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  #connected(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connect(this.endpoint.url, { ca: this.endpoint.ca, settings: { initialWindowSize: 1 << 20 } });
      this.#session.on('error', () => {});
    }
    return this.#session;
  }

  #send({ method, path, headers = {}, body, bytes }: Ask): ClientHttp2Stream {
    const payload = bytes ?? (body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
    const all: OutgoingHttpHeaders = {
      ':method': method,
      ':path': path,
      authorization: `Bearer ${this.endpoint.token}`,
      accept: 'application/json',
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    };
    const stream = this.#connected().request(all, { endStream: payload === undefined });
    if (payload !== undefined) stream.end(payload);
    return stream;
  }

  request(ask: Ask): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const stream = this.#send(ask);
      const chunks: Buffer[] = [];
      let head: Head | undefined;
      const timer = realSetTimeout(
        () => stream.destroy(new Error(`no answer to ${ask.method} ${ask.path} in time`)),
        ANSWER_TIMEOUT_MS,
      );
      stream.on('response', (headers) => (head = headOf(headers)));
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (error) => {
        realClearTimeout(timer);
        reject(new Error(`${this.endpoint.name}: ${ask.method} ${ask.path}: ${error.message}`, { cause: error }));
      });
      stream.on('end', () => {
        realClearTimeout(timer);
        if (head === undefined) reject(new Error(`${this.endpoint.name}: no answer to ${ask.method} ${ask.path}`));
        else resolve({ ...head, ...read(Buffer.concat(chunks).toString('utf8')) });
      });
    });
  }

  /** Opens a watch and resolves with the head of its answer. */
  watch(ask: Ask): Promise<OpenStream> {
    return new Promise((resolve, reject) => {
      const stream = this.#send(ask);
      const events: StreamedEvent[] = [];
      const waiting = new Set<() => void>();
      let rest = '';
      let ended = false;
      let streams = false;
      const wake = (): void => waiting.forEach((one) => one());
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => {
        rest += text;
        // Data may arrive before the head of the answer, so until then it is unknown whether the data are events.
        if (!streams) return;
        const lines = rest.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line !== '') events.push(JSON.parse(line) as StreamedEvent);
        wake();
      });
      const finish = (): void => {
        ended = true;
        wake();
      };
      stream.on('close', finish);
      stream.on('error', (error) => {
        finish();
        reject(error);
      });
      stream.on('response', (headers) => {
        const head = headOf(headers);
        const open = (text: string): void =>
          resolve({
            reply: { ...head, ...read(text) },
            events,
            ended: () => ended,
            until: (passes, timeoutMs) => waitFor(waiting, events, () => ended, passes, timeoutMs),
            close: () => stream.close(),
          });
        if (head.code === 200) {
          open('');
          streams = true;
          stream.emit('data', '');
          return;
        }
        stream.on('end', () => open(rest));
      });
    });
  }

  close(): void {
    this.#session?.destroy();
  }
}

type Head = Omit<Reply, 'body' | 'text'>;

function read(text: string): Pick<Reply, 'body' | 'text'> {
  return { body: parsed(text), text };
}

function headOf(headers: { readonly [name: string]: string | readonly string[] | number | undefined }): Head {
  const kept: { [name: string]: string | readonly string[] } = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !name.startsWith(':')) kept[name] = typeof value === 'number' ? String(value) : value;
  return { code: Number(headers[':status']), headers: kept };
}

function waitFor(
  waiting: Set<() => void>,
  events: readonly StreamedEvent[],
  ended: () => boolean,
  passes: (event: StreamedEvent) => boolean,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = 0;
    const settle = (came: boolean): void => {
      realClearTimeout(timer);
      waiting.delete(look);
      resolve(came);
    };
    const timer = realSetTimeout(() => settle(false), timeoutMs);
    const look = (): void => {
      for (; seen < events.length; seen++) {
        const event = events[seen];
        if (event !== undefined && passes(event)) return settle(true);
      }
      if (ended()) settle(false);
    };
    waiting.add(look);
    look();
  });
}

function parsed(text: string): JsonValue {
  if (text === '') return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}
