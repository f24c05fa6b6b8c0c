/**
 * The part of DER (X.690) that a certificate needs: values as tag, length, content.
 *
 * Owns: encoding only. `certificates.ts` defines the contents.
 */

/** Returns a DER value with the given tag and content. */
export function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const inner = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(inner.length)]), inner]);
}

export function sequence(...content: readonly Uint8Array[]): Buffer {
  return der(0x30, ...content);
}

export function setOf(...content: readonly Uint8Array[]): Buffer {
  return der(0x31, ...content);
}

/** Returns a context-specific tag that contains whole values. */
export function explicit(tag: number, ...content: readonly Uint8Array[]): Buffer {
  return der(0xa0 | tag, ...content);
}

export function integer(value: Uint8Array): Buffer {
  // A leading zero byte, because a high first bit would mark a negative number.
  const first = value[0] ?? 0;
  return first > 0x7f ? der(0x02, Buffer.of(0), value) : der(0x02, value);
}

export function boolean(value: boolean): Buffer {
  return der(0x01, Buffer.of(value ? 0xff : 0));
}

export function octets(value: Uint8Array): Buffer {
  return der(0x04, value);
}

export function bits(value: Uint8Array, unused = 0): Buffer {
  return der(0x03, Buffer.of(unused), value);
}

export function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

/** Returns a time: `270131120000Z` up to 2049, and `20500131120000Z` from 2050 on, as RFC 5280 requires. */
export function time(at: Date): Buffer {
  const text = `${at.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
  return at.getUTCFullYear() < 2050 ? der(0x17, Buffer.from(text.slice(2))) : der(0x18, Buffer.from(text));
}

/** Returns an object identifier from its dotted text. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return der(0x06, Buffer.from(bytes));
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left >>>= 8) bytes.unshift(left & 0xff);
  return [0x80 | bytes.length, ...bytes];
}
