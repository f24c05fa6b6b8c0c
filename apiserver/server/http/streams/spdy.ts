/**
 * The server side of SPDY/3.1, as far as Kubernetes clients use it: streams opened by the client, with headers and half-close.
 *
 * Uses no library: those for Node were abandoned years ago and assume HTTP inside. client-go still uses SPDY for `exec` unless its caller
 * asks for WebSockets, and tunnels SPDY through WebSockets to forward ports. Owns: frames, compressed headers. Flow control is not used, as
 * in Go's spdystream, which neither announces nor respects windows. Start at {@link SpdyConnection}.
 */
import { constants, inflateSync } from 'node:zlib';
import { DICTIONARY } from './spdy-dictionary.ts';

const VERSION = 3;
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FIN = 0x01;
const HEAD_BYTES = 8;
const PROTOCOL_ERROR = 1;
const REFUSED_STREAM = 3;
/** The maximum size of a frame, far more than Go's framer sends at once. */
const FRAME_BYTES_MAX = 16 * 1024 * 1024;
/** The maximum bytes of compressed headers on one connection: enough for thousands of streams. */
const HEADER_BYTES_MAX = 1024 * 1024;
/** The maximum size of a data frame, so that streams alternate. */
const PIECE_BYTES = 32 * 1024;

/** A stream opened by the client. */
export interface SpdyStream {
  readonly id: number;
  /** The headers by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  onData: (piece: Buffer) => void;
  /** Called when the client has closed its half, or reset the stream. */
  onEnd: () => void;
  write(piece: Uint8Array): void;
  /** Closes the server's half. */
  end(): void;
  reset(): void;
}

export interface SpdyEvents {
  /** Called for a new stream; returns whether it is accepted. */
  opened(stream: SpdyStream): boolean;
  /** Called when the client has sent GOAWAY, or invalid SPDY. */
  ended(): void;
}

export class SpdyConnection {
  readonly #send: (bytes: Buffer) => void;
  readonly #events: SpdyEvents;
  readonly #streams = new Map<number, Stream>();
  readonly #headers = new HeaderReader();
  #rest: Buffer = Buffer.alloc(0);
  #replied = false;
  #over = false;

  constructor(send: (bytes: Buffer) => void, events: SpdyEvents) {
    this.#send = send;
    this.#events = events;
  }

  read(piece: Buffer): void {
    if (this.#over) return;
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    while (!this.#over && this.#rest.length >= HEAD_BYTES) {
      const length = this.#rest.readUIntBE(5, 3);
      if (length > FRAME_BYTES_MAX) {
        this.#end();
        return;
      }
      if (this.#rest.length < HEAD_BYTES + length) return;
      const frame = this.#rest.subarray(0, HEAD_BYTES + length);
      this.#rest = this.#rest.subarray(HEAD_BYTES + length);
      this.#frame(frame);
    }
  }

  /** Sends GOAWAY: the server accepts no more streams. */
  goAway(): void {
    this.#control(GOAWAY, 0, Buffer.alloc(8));
  }

  #frame(frame: Buffer): void {
    const first = frame.readUInt32BE(0);
    const flags = frame.readUInt8(4);
    const payload = frame.subarray(HEAD_BYTES);
    if ((first & 0x8000_0000) === 0) {
      this.#data(first, flags, payload);
      return;
    }
    const type = first & 0xffff;
    if (((first >>> 16) & 0x7fff) !== VERSION) this.#end();
    else if (type === SYN_STREAM) this.#opened(flags, payload);
    else if (type === RST_STREAM && payload.length >= 8) this.#closed(payload.readUInt32BE(0));
    else if (type === PING && payload.length >= 4) this.#control(PING, 0, payload.subarray(0, 4));
    else if (type === GOAWAY) this.#end();
  }

  #opened(flags: number, payload: Buffer): void {
    if (payload.length < 10) {
      this.#end();
      return;
    }
    const id = payload.readUInt32BE(0) & 0x7fff_ffff;
    const headers = this.#headers.read(payload.subarray(10));
    if (headers === undefined || this.#streams.has(id)) {
      this.#end();
      return;
    }
    const stream = new Stream(id, headers, {
      data: (piece, isLast) => this.#piece(id, piece, isLast),
      reset: () => {
        this.#streams.delete(id);
        this.#reset(id, REFUSED_STREAM);
      },
    });
    this.#streams.set(id, stream);
    if (!this.#events.opened(stream)) {
      stream.reset();
      return;
    }
    this.#control(SYN_REPLY, 0, Buffer.concat([wordOf(id), this.#noHeaders()]));
    stream.accepted();
    if ((flags & FIN) !== 0) stream.onEnd();
  }

  #data(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) {
      this.#reset(id, PROTOCOL_ERROR);
      return;
    }
    if (payload.length > 0) stream.onData(payload);
    if ((flags & FIN) !== 0) stream.onEnd();
  }

  #closed(id: number): void {
    const stream = this.#streams.get(id & 0x7fff_ffff);
    if (stream === undefined) return;
    this.#streams.delete(stream.id);
    stream.onEnd();
  }

  #reset(id: number, status: number): void {
    this.#control(RST_STREAM, 0, Buffer.concat([wordOf(id), wordOf(status)]));
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    const open = [...this.#streams.values()];
    this.#streams.clear();
    for (const stream of open) stream.onEnd();
    this.#events.ended();
  }

  #piece(id: number, piece: Uint8Array, isLast: boolean): void {
    if (!this.#streams.has(id)) return;
    for (let at = 0; at === 0 || at < piece.length; at += PIECE_BYTES) {
      const part = piece.subarray(at, at + PIECE_BYTES);
      const last = isLast && at + PIECE_BYTES >= piece.length;
      if (part.length === 0 && !last) continue;
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(id, 0);
      head.writeUInt8(last ? FIN : 0, 4);
      head.writeUIntBE(part.length, 5, 3);
      this.#send(Buffer.concat([head, part]));
    }
  }

  #control(type: number, flags: number, payload: Buffer): void {
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt16BE(0x8000 | VERSION, 0);
    head.writeUInt16BE(type, 2);
    head.writeUInt8(flags, 4);
    head.writeUIntBE(payload.length, 5, 3);
    this.#send(Buffer.concat([head, payload]));
  }

  /**
   * Returns an empty header block, compressed as a stored block. The first one follows the head of a zlib stream with the dictionary. An
   * empty block at the end makes Go's decompressor flush.
   */
  #noHeaders(): Buffer {
    const none = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);
    if (this.#replied) return none;
    this.#replied = true;
    return Buffer.concat([Buffer.of(0x78, 0xbb), wordOf(adler32(DICTIONARY)), none]);
  }
}

interface Wire {
  data(piece: Uint8Array, isLast: boolean): void;
  reset(): void;
}

class Stream implements SpdyStream {
  readonly id: number;
  readonly headers: ReadonlyMap<string, string>;
  onData: (piece: Buffer) => void = () => {};
  onEnd: () => void = () => {};
  readonly #wire: Wire;
  /** Output from before the client knows that the stream was accepted; undefined afterwards. */
  #early: (() => void)[] | undefined = [];
  #ended = false;

  constructor(id: number, headers: ReadonlyMap<string, string>, wire: Wire) {
    this.id = id;
    this.headers = headers;
    this.#wire = wire;
  }

  accepted(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const send of early) send();
  }

  write(piece: Uint8Array): void {
    if (!this.#ended) this.#say(() => this.#wire.data(piece, false));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#say(() => this.#wire.data(Buffer.alloc(0), true));
  }

  reset(): void {
    this.#ended = true;
    this.#say(() => this.#wire.reset());
  }

  #say(send: () => void): void {
    if (this.#early === undefined) send();
    else this.#early.push(send);
  }
}

/**
 * Reads the headers of a connection, which are one compressed stream. Each header block decompresses the stream from its beginning: Node
 * has no synchronous streaming decompressor, and a connection has only a few streams.
 */
class HeaderReader {
  #compressed: Buffer = Buffer.alloc(0);
  #known = 0;

  read(block: Buffer): ReadonlyMap<string, string> | undefined {
    this.#compressed = Buffer.concat([this.#compressed, block]);
    if (this.#compressed.length > HEADER_BYTES_MAX) return undefined;
    try {
      const all = inflateSync(this.#compressed, {
        dictionary: DICTIONARY,
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: 4 * HEADER_BYTES_MAX,
      });
      const own = all.subarray(this.#known);
      this.#known = all.length;
      return pairsOf(own);
    } catch {
      return undefined;
    }
  }
}

function pairsOf(block: Buffer): ReadonlyMap<string, string> {
  let at = 4;
  const text = (): string => {
    const length = block.readUInt32BE(at);
    at += 4 + length;
    if (at > block.length) throw new RangeError('a header is longer than its block');
    return block.toString('utf8', at - length, at);
  };
  const pairs = new Map<string, string>();
  for (let left = block.readUInt32BE(0); left > 0; left--) {
    const name = text().toLowerCase();
    // Multiple values of a header are separated by NUL.
    pairs.set(name, text().split('\0', 1)[0] ?? '');
  }
  return pairs;
}

function wordOf(value: number): Buffer {
  const word = Buffer.alloc(4);
  word.writeUInt32BE(value >>> 0);
  return word;
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return ((high << 16) | low) >>> 0;
}
