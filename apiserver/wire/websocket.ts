/**
 * The server side of a watch over a WebSocket (RFC 6455): one message per event. Browsers and some client libraries use it (fabric8, and
 * with it the operators in Java).
 *
 * Owns: the handshake of Go's `x/net/websocket`, frames, the bearer token among the subprotocols. Does not own: requests that are refused
 * or are not watches, which are answered as if they had not requested a WebSocket. Start at {@link WatchSocket}.
 */

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const TOKEN_PROTOCOL = 'base64url.bearer.authorization.k8s.io.';

const TEXT = 0x81;
const BINARY = 0x82;
const CLOSE = 0x88;
const PING = 0x89;
const PONG = 0x8a;
const NORMAL = Buffer.of(0x03, 0xe8);
const PROTOCOL_ERROR = Buffer.of(0x03, 0xea);
const NOTHING = Buffer.alloc(0);

/** Headers of a request, by lower-case name. */
export type Asked = { readonly [header: string]: string | readonly string[] | undefined };

/** The part of the interface of Node's sockets that is used. */
export interface Connection {
  readonly writableNeedDrain: boolean;
  write(bytes: string | Uint8Array): unknown;
  end(bytes?: string | Uint8Array | (() => void), done?: () => void): unknown;
  destroy(): unknown;
  cork(): void;
  uncork(): void;
  on(event: 'data', listener: (piece: Buffer) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}

/** Reports whether a request asks for an upgrade to a WebSocket. */
export function asksForWebSocket({ headers }: { readonly headers: Asked }): boolean {
  return (
    String(headers['upgrade']).toLowerCase() === 'websocket' &&
    String(headers['connection']).toLowerCase().includes('upgrade')
  );
}

export class WatchSocket {
  /** The bearer token among the subprotocols. A malformed one is replaced by an invalid token. */
  readonly token: string | undefined;
  readonly #socket: Connection;
  readonly #asked: Asked;
  readonly #sha1: (text: string) => string;
  readonly #protocols: readonly string[];
  #closing = false;

  /** @param sha1 The SHA-1 of a text, in base64. */
  constructor(socket: Connection, asked: Asked, sha1: (text: string) => string) {
    this.#socket = socket;
    this.#asked = asked;
    this.#sha1 = sha1;
    const { token, protocols } = tokenAmong(asked['sec-websocket-protocol']);
    this.token = token;
    this.#protocols = protocols;
  }

  /** Accepts or refuses the handshake; if accepted, reads the client's frames. */
  open(): void {
    const key = this.#asked['sec-websocket-key'];
    if (typeof key !== 'string') this.#refuse('400 Bad Request', 'mismatch challenge/response');
    else if (this.#asked['origin'] === undefined) this.#refuse('403 Forbidden');
    else if (this.#protocols.length > 1) this.#refuse('400 Bad Request');
    else {
      const protocol = this.#protocols.map((one) => `Sec-WebSocket-Protocol: ${one}\r\n`).join('');
      this.#socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${this.#sha1(key + GUID)}\r\n${protocol}\r\n`,
      );
      const reader = new FrameReader((opcode, payload, masked) => this.#received(opcode, payload, masked));
      this.#socket.on('data', (piece) => reader.read(piece));
      this.#socket.on('end', () => this.#socket.end());
    }
  }

  /** Sends one message, binary or text. Returns whether more may be written before the connection has drained. */
  send(message: Uint8Array, binary: boolean): boolean {
    if (!this.#closing) this.#send(binary ? BINARY : TEXT, message);
    return !this.#socket.writableNeedDrain;
  }

  end(): void {
    this.#close(NORMAL);
  }

  /** Refuses the handshake. A browser cannot read the reason, so Go's server gives almost none. */
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

function tokenAmong(header: string | readonly string[] | undefined): {
  readonly token: string | undefined;
  readonly protocols: readonly string[];
} {
  const all = String(header ?? '')
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

/** Parses a client's frames. Only their headers matter: a watch client sends no data. */
class FrameReader {
  readonly #onFrame: (opcode: number, payload: Buffer, masked: boolean) => void;
  #rest: Buffer = NOTHING;
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
      const payload = isControl ? Buffer.from(bytes.subarray(size, size + length)) : NOTHING;
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
  /** The size of the frame header. */
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
