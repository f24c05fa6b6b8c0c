/**
 * Seeded randomness: one root seed per run, and a named child stream for each consumer.
 *
 * A child depends on its parent's seed and its own name, never on earlier draws, so adding an actor does not change what the other actors
 * draw. The generator is sfc32 (Chris Doty-Humphrey's PractRand family): four 32-bit words, a few operations per draw.
 */

import { randomBytes } from 'node:crypto';

/** The alphabet of generated names in Kubernetes (`k8s.io/apimachinery/pkg/util/rand`). */
const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const UINT32 = 0x1_0000_0000;

/** The exclusive upper bound of campaign seeds. */
export const SEED_RANGE: number = 2 ** 31;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export class Random {
  /** The seed from which children are derived; drawing does not change it. */
  readonly #seedHigh: number;
  readonly #seedLow: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed - Any safe integer; a fraction is truncated. */
  constructor(seed: number) {
    const whole = Math.trunc(seed);
    this.#seedHigh = Math.floor(whole / UINT32) | 0;
    this.#seedLow = whole | 0;
    this.#a = mix(this.#seedLow);
    this.#b = mix(this.#seedHigh ^ 0x9e3779b9);
    this.#c = mix(this.#a ^ this.#b);
    // The first outputs of neighbouring seeds are alike, so the generator's author prescribes discarding twelve.
    for (let round = 0; round < 12; round++) this.next();
  }

  /** Returns a uniform unsigned 32-bit integer. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  /** Returns a uniform number in [0, 1) with 53 bits. */
  float(): number {
    return ((this.next() >>> 5) * 0x400_0000 + (this.next() >>> 6)) / 0x20_0000_0000_0000;
  }

  /** Returns a uniform integer in [0, n), or zero if `n` is below 1. */
  int(n: number): number {
    if (n <= 1) return 0;
    return n <= 0x1_0000 ? Math.floor((this.next() / UINT32) * n) : Math.floor(this.float() * n);
  }

  /** Returns one of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('cannot pick from an empty list');
    return items[this.int(items.length)] as T;
  }

  /** Returns a shuffled copy. */
  shuffle<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.int(last + 1);
      const held = shuffled[last] as T;
      shuffled[last] = shuffled[other] as T;
      shuffled[other] = held;
    }
    return shuffled;
  }

  /** Returns the child stream called `name`, which is independent of earlier draws. */
  child(name: string): Random {
    let low = mix(this.#seedLow ^ 0x85ebca6b);
    let high = mix(this.#seedHigh ^ low);
    for (let index = 0; index < name.length; index++) {
      low = Math.imul(low ^ name.charCodeAt(index), 0x01000193);
      high = Math.imul(high ^ (low >>> 15), 0x85ebca6b);
    }
    return new Random((mix(high) >>> 11) * UINT32 + (mix(low) >>> 0));
  }

  /** Returns a version 4 UUID. */
  uuid(): string {
    const a = this.next();
    const b = this.next();
    const c = this.next();
    const d = this.next();
    const variant = 0x80 | ((c >>> 24) & 0x3f);
    // Joined, not concatenated: V8 stores a concatenated string as a rope, which takes three times the memory, and ids live as long as
    // their objects.
    return [
      `${word(a)}-`,
      ...[byte(b >>> 24), byte(b >>> 16), '-4', byte(b >>> 8).charAt(1), byte(b), '-'],
      ...[byte(variant), byte(c >>> 16), '-', byte(c >>> 8), byte(c), word(d)],
    ].join('');
  }

  /** Returns five characters like those that the API server appends to `generateName`. */
  suffix(): string {
    let suffix = '';
    for (let index = 0; index < SUFFIX_LENGTH; index++) {
      suffix += SUFFIX_ALPHABET.charAt(this.int(SUFFIX_ALPHABET.length));
    }
    return suffix;
  }

  /** Fills `target` with drawn bytes and returns it. */
  fillBytes<T extends ArrayBufferView>(target: T): T {
    const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
    for (let index = 0; index < bytes.length; index += 4) {
      const drawn = this.next();
      for (let part = 0; part < 4 && index + part < bytes.length; part++) bytes[index + part] = drawn >>> (8 * part);
    }
    return target;
  }
}

/**
 * Returns the seed of batch `at` of a campaign's trials. Different batches get different seeds: both factors are odd (2^32 divided by the
 * golden ratio, and one of MurmurHash3's), so no information is lost, and neighbouring batches get distant seeds.
 */
export function batchSeed(root: number, at: number): number {
  return (Math.imul(root, 0x9e3779b1) + Math.imul(at, 0x85ebca6b)) | 0;
}

/** The finaliser of MurmurHash3: every input bit affects all output bits. */
function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function byte(value: number): string {
  return HEX[value & 0xff] as string;
}

function word(value: number): string {
  return byte(value >>> 24) + byte(value >>> 16) + byte(value >>> 8) + byte(value);
}

/** Returns an unguessable secret for servers that other processes can reach. Never use it for anything that is visible to a trial. */
export function randomKey(): string {
  return randomBytes(32).toString('base64url');
}
