/**
 * The frames of a watch: splits a stream into events, in JSON lines or length-delimited protobuf.
 *
 * Owns: splitting. An event keeps its original bytes, so that they are forwarded unchanged. Start at {@link FrameReader}.
 */
import type { JsonObject } from 'stalemate-apiserver/objects/object';
import type { WatchEvent, WatchEventType } from 'stalemate-apiserver/objects/watch-event';
import { decodeFrame, decodeProtobuf } from 'stalemate-apiserver/wire/protobuf/envelope';

/** An event with its original bytes. */
export interface RawEvent extends WatchEvent {
  readonly bytes: Buffer;
}

const NEWLINE = 0x0a;
const LENGTH_BYTES = 4;

/** Splits a stream into frames. */
export class FrameReader {
  readonly #protobuf: boolean;
  readonly #onEvent: (event: RawEvent) => void;
  #pieces: Buffer[] = [];
  #size = 0;
  /** The length of the next frame, once known. */
  #wanted = 0;

  constructor(protobuf: boolean, onEvent: (event: RawEvent) => void) {
    this.#protobuf = protobuf;
    this.#onEvent = onEvent;
  }

  read(piece: Buffer): void {
    if (this.#protobuf) this.#readMessages(piece);
    else this.#readLines(piece);
  }

  #readLines(piece: Buffer): void {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const bytes = this.#joined(piece.subarray(start, end + 1));
      start = end + 1;
      const event = parsed(bytes);
      // JSON over several lines is complete once it can be parsed.
      if (event === undefined) this.#keep(bytes);
      else this.#onEvent({ ...event, bytes });
    }
    if (start < piece.length) this.#keep(piece.subarray(start));
  }

  #readMessages(piece: Buffer): void {
    this.#keep(piece);
    while (this.#size >= Math.max(LENGTH_BYTES, this.#wanted)) {
      const all = this.#joined();
      this.#wanted = LENGTH_BYTES + all.readUInt32BE(0);
      if (all.length < this.#wanted) {
        this.#keep(all);
        return;
      }
      const bytes = all.subarray(0, this.#wanted);
      this.#keep(all.subarray(this.#wanted));
      this.#wanted = 0;
      const { type, object } = decodeFrame(bytes);
      const message = decodeProtobuf(object);
      this.#onEvent({ type: type as WatchEventType, object: 'body' in message ? message.body : {}, bytes });
    }
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#size += piece.length;
  }

  #joined(last?: Buffer): Buffer {
    if (last !== undefined && this.#pieces.length === 0) return last;
    const all = Buffer.concat(last === undefined ? this.#pieces : [...this.#pieces, last]);
    this.#pieces = [];
    this.#size = 0;
    return all;
  }
}

function parsed(bytes: Buffer): WatchEvent | undefined {
  try {
    const { type, object } = JSON.parse(bytes.toString('utf8')) as { type: WatchEventType; object: JsonObject };
    return { type, object };
  } catch {
    return undefined;
  }
}
