/**
 * Watches over WebSockets (RFC 6455), one message per event, as browsers and some client libraries ask for them.
 *
 * Owns: the handshake as Go's `x/net/websocket` does it, frames, the bearer token among the subprotocols. Requests that are refused, and
 * those that are no watch, are answered as if nobody had asked for a WebSocket. Start at {@link WebSocketExchange}.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { NO_BODY, type AnswerHeaders, type Credential, type Exchange } from './exchange.ts';

const { STATUS_CODES } = process.getBuiltinModule('node:http');

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const NORMAL = Buffer.of(0x03, 0xe8);
const PROTOCOL_ERROR = Buffer.of(0x03, 0xea);

/** Whether a request asks for a WebSocket. */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' && (headers.connection?.toLowerCase().includes('upgrade') ?? false)
  );
}

export class WebSocketExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Exchange['headers'];
  readonly certified: Credential;
  readonly #socket: Duplex;
  readonly #protocols: readonly string[];
  #started = false;
  #closing = false;
  #opcode = TEXT;

  constructor(incoming: IncomingMessage, socket: Duplex, certified: Credential) {
    this.method = incoming.method ?? 'GET';
    this.target = incoming.url ?? '/';
    this.certified = certified;
    this.#socket = socket;
    const { token, protocols } = tokenAmong(incoming.headers['sec-websocket-protocol']);
    this.#protocols = protocols;
    this.headers =
      token === undefined || incoming.headers.authorization !== undefined
        ? incoming.headers
        : { ...incoming.headers, authorization: `Bearer ${token}` };
    socket.on('error', () => socket.destroy());
  }

  get full(): boolean {
    return this.#socket.writableNeedDrain;
  }

  get started(): boolean {
    return this.#started;
  }

  readBody(_bytesMax: number, done: (body: Buffer | undefined) => void): void {
    done(NO_BODY);
  }

  respond(code: number, headers: AnswerHeaders, body: string | Uint8Array): void {
    if (this.#started) return;
    this.#started = true;
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    headers['connection'] = 'close';
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    this.#socket.write(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${lines.join('')}\r\n`);
    this.#socket.end(body);
  }

  start(_code: number, headers: AnswerHeaders): void {
    this.#started = true;
    const key = this.headers['sec-websocket-key'];
    if (typeof key !== 'string') this.#refuse('400 Bad Request', 'mismatch challenge/response');
    else if (this.headers['origin'] === undefined) this.#refuse('403 Forbidden');
    else if (this.#protocols.length > 1) this.#refuse('400 Bad Request');
    else {
      if (String(headers['content-type']).includes('protobuf')) this.#opcode = BINARY;
      const accept = createHash('sha1')
        .update(key + GUID)
        .digest('base64');
      const protocol = this.#protocols.map((one) => `Sec-WebSocket-Protocol: ${one}\r\n`).join('');
      this.#socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${protocol}\r\n`,
      );
      const reader = new FrameReader((opcode, payload, masked) => this.#received(opcode, payload, masked));
      this.#socket.on('data', (piece: Buffer) => reader.read(piece));
      this.#socket.on('end', () => this.#socket.end());
    }
  }

  write(piece: string | Uint8Array): void {
    if (!this.#closing) this.#send(this.#opcode, typeof piece === 'string' ? Buffer.from(piece) : piece);
  }

  onDrain(listener: () => void): void {
    this.#socket.on('drain', listener);
  }

  end(): void {
    this.#close(NORMAL);
  }

  abort(): void {
    this.#socket.destroy();
  }

  onClose(listener: () => void): void {
    if (this.#socket.destroyed) listener();
    else this.#socket.once('close', listener);
  }

  /** A browser could not read the reason of a refused handshake, so Go's server gives hardly any. */
  #refuse(status: string, body = ''): void {
    this.#closing = true;
    this.#socket.end(`HTTP/1.1 ${status}\r\n\r\n${body}`, () => this.#socket.destroy());
  }

  #received(opcode: number, payload: Buffer, masked: boolean): void {
    if (!masked) this.#close(PROTOCOL_ERROR);
    else if (opcode === PING) this.#send(PONG, payload);
    else if (opcode === CLOSE) this.#close(NORMAL);
  }

  #close(reason: Buffer): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#send(CLOSE, reason);
    this.#socket.end(() => this.#socket.destroy());
  }

  #send(opcode: number, payload: Uint8Array): void {
    const { length } = payload;
    let head: Buffer;
    if (length < 126) head = Buffer.of(opcode, length);
    else if (length < 0x1_0000) head = Buffer.of(opcode, 126, length >>> 8, length & 0xff);
    else {
      head = Buffer.alloc(10);
      head[0] = opcode;
      head[1] = 127;
      head.writeBigUInt64BE(BigInt(length), 2);
    }
    this.#socket.cork();
    this.#socket.write(head);
    this.#socket.write(payload);
    this.#socket.uncork();
  }
}

/** The token that hides among the subprotocols, and the others. A malformed one becomes a token that nobody has. */
function tokenAmong(header: string | undefined): {
  readonly token: string | undefined;
  readonly protocols: readonly string[];
} {
  const all = (header ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const protocols = all.filter((one) => !one.startsWith(TOKEN_PROTOCOL));
  const tokens = all.filter((one) => one.startsWith(TOKEN_PROTOCOL)).map((one) => one.slice(TOKEN_PROTOCOL.length));
  const [encoded] = tokens;
  if (encoded === undefined) return { token: undefined, protocols };
  const wellFormed = tokens.length === 1 && protocols.length > 0 && /^[\w-]+$/.test(encoded);
  return { token: wellFormed ? Buffer.from(encoded, 'base64url').toString() : 'malformed', protocols };
}

const CONTROL_PAYLOAD_MAX = 125;

/** Takes a client's frames apart. Of messages only the head matters: a watch has nothing to say to the server. */
class FrameReader {
  readonly #onFrame: (opcode: number, payload: Buffer, masked: boolean) => void;
  #rest: Buffer = NO_BODY;
  #skip = 0;

  constructor(onFrame: (opcode: number, payload: Buffer, masked: boolean) => void) {
    this.#onFrame = onFrame;
  }

  read(piece: Buffer): void {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length);
      this.#skip -= skipped;
      bytes = bytes.subarray(skipped);
      const frame = headOf(bytes);
      if (frame === undefined) break;
      const { opcode, masked, size, length } = frame;
      const isControl = (opcode & 0x08) !== 0 && length <= CONTROL_PAYLOAD_MAX;
      if (isControl && bytes.length < size + length) break;
      const payload = isControl ? Buffer.from(bytes.subarray(size, size + length)) : NO_BODY;
      if (masked)
        for (let at = 0; at < payload.length; at++)
          payload[at] = (payload[at] ?? 0) ^ (bytes[size - 4 + (at % 4)] ?? 0);
      this.#onFrame(opcode, payload, masked);
      this.#skip = length;
      bytes = bytes.subarray(size);
    }
    this.#rest = bytes;
  }
}

interface FrameHead {
  readonly opcode: number;
  readonly masked: boolean;
  /** Bytes before the payload. */
  readonly size: number;
  readonly length: number;
}

function headOf(bytes: Buffer): FrameHead | undefined {
  if (bytes.length < 2) return undefined;
  const opcode = bytes[0] ?? 0;
  const second = bytes[1] ?? 0;
  const masked = second >= 0x80;
  const short = second & 0x7f;
  const size = 2 + (short === 126 ? 2 : short === 127 ? 8 : 0) + (masked ? 4 : 0);
  if (bytes.length < size) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  return { opcode, masked, size, length };
}
