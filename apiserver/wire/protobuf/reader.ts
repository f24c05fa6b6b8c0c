/**
 * The primitives of protobuf's wire format, with the errors of Go's generated code.
 *
 * Owns: varints, lengths, skipping unknown fields. Every failure is a {@link ProtobufError}.
 */
import type { JsonValue } from '../../objects/object.ts';
import { longInteger } from '../go-json.ts';

export class ProtobufError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProtobufError';
  }
}

export const END = 'unexpected EOF';
const OVERFLOW = 'proto: integer overflow';
const NEGATIVE = 'proto: negative length found during unmarshaling';

export class Reader {
  readonly buffer: Buffer;
  at: number;
  end: number;
  /** The number of messages started so far. */
  messages = 0;

  constructor(bytes: Buffer, at = 0, end: number = bytes.length) {
    this.buffer = bytes;
    this.at = at;
    this.end = end;
  }

  /** Reads a varint as a double, which is precise enough for tags and lengths. A varint that is too long gives too large a number. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; ; count++) {
      if (count === 10) throw new ProtobufError(OVERFLOW);
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  #byte(): number {
    if (this.at >= this.end) throw new ProtobufError(END);
    return this.buffer[this.at++] ?? 0;
  }

  int32(): number {
    return Number(BigInt.asIntN(32, this.#long()));
  }

  uint32(): number {
    return Number(BigInt.asUintN(32, this.#long()));
  }

  bool(): boolean {
    return this.varint() !== 0;
  }

  /** Reads a 64-bit integer; beyond a double's precision it keeps all digits. */
  int64(): JsonValue {
    if (this.at < this.end && (this.buffer[this.at] ?? 0) < 128) return this.#byte();
    const long = BigInt.asIntN(64, this.#long());
    const number = Number(long);
    return Number.isSafeInteger(number) ? number : longInteger(String(long));
  }

  #long(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      if (shift === 70n) throw new ProtobufError(OVERFLOW);
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  double(): number {
    if (this.end - this.at < 8) throw new ProtobufError(END);
    this.at += 8;
    return this.buffer.readDoubleLE(this.at - 8);
  }

  /** Reads a length, and checks that the whole content is there: from `at` to the returned end. */
  block(): number {
    const length = this.varint();
    if (length >= 2 ** 63) throw new ProtobufError(NEGATIVE);
    const end = this.at + length;
    if (end > this.end) throw new ProtobufError(END);
    return end;
  }

  string(): string {
    const end = this.block();
    const text = this.buffer.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  bytes(): string {
    const end = this.block();
    const text = this.buffer.toString('base64', this.at, end);
    this.at = end;
    return text;
  }

  /** Skips a field of the given wire type, whose tag has already been read. */
  skip(wireType: number): void {
    for (let depth = 0; ;) {
      switch (wireType) {
        case 0:
          this.varint();
          break;
        case 1:
          this.#step(8);
          break;
        case 2:
          this.at = this.block();
          break;
        case 3:
          depth++;
          break;
        case 4:
          if (depth === 0) throw new ProtobufError('proto: unexpected end of group');
          depth--;
          break;
        case 5:
          this.#step(4);
          break;
        default:
          throw new ProtobufError(`proto: illegal wireType ${wireType}`);
      }
      if (depth === 0) return;
      wireType = this.varint() & 7;
    }
  }

  #step(bytes: number): void {
    if (this.end - this.at < bytes) throw new ProtobufError(END);
    this.at += bytes;
  }
}
