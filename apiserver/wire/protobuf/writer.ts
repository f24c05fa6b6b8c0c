/**
 * Writes protobuf back to front, so that every length is known when it is written, as Go's generated code does.
 *
 * Owns: the primitives. Callers write the last field first.
 */
export class Writer {
  #bytes: Buffer;
  /** The position where the written part starts. */
  #at: number;

  constructor(size = 1024) {
    this.#bytes = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** Returns the number of written bytes. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns the written bytes. */
  finish(): Buffer {
    return this.#bytes.subarray(this.#at);
  }

  #room(size: number): void {
    if (this.#at >= size) return;
    const length = this.length;
    const bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, length + size));
    this.#bytes.copy(bytes, bytes.length - length, this.#at);
    this.#at = bytes.length - length;
    this.#bytes = bytes;
  }

  raw(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#at -= bytes.length;
    this.#bytes.set(bytes, this.#at);
  }

  /** Writes a non-negative integer below 2^53. */
  varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#room(size);
    this.#at -= size;
    let at = this.#at;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[at++] = (rest % 128) | 128;
    this.#bytes[at] = rest;
  }

  /** Writes any 64-bit integer; a negative integer takes ten bytes. */
  long(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)) {
      this.varint(value);
      return;
    }
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest >= 128n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  double(value: number): void {
    this.#room(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Writes a text with a length prefix. */
  string(text: string): void {
    const size = Buffer.byteLength(text);
    this.#room(size);
    this.#at -= size;
    this.#bytes.write(text, this.#at, 'utf8');
    this.varint(size);
  }

  bytes(bytes: Uint8Array): void {
    this.raw(bytes);
    this.varint(bytes.length);
  }

  tag(id: number, wireType: number): void {
    this.varint(id * 8 + wireType);
  }
}
