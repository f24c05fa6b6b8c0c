/**
 * Replaces the platform's sources of randomness with a seeded stream.
 *
 * Owns: Math.random, crypto's random bytes, integers and UUIDs. Does not own: key generation and signatures, whose randomness is native;
 * `uncontrolled.ts` reports them.
 */
import crypto from 'node:crypto';
import type { Patches } from './patches.ts';
import type { Random } from './random.ts';

const INT_RANGE_MAX = 0x1_0000_0000_0000; // as in node:crypto: max - min < 2^48

type Callback<T> = (error: Error | null, value?: T) => void;

/**
 * Patches the sources. `draw` returns the stream of the code that is running; `later` runs a callback in a later turn; until then the
 * target is not at rest.
 */
export function seedPlatformRandomness(patches: Patches, draw: () => Random, later: (fn: () => void) => void): void {
  const uuid = (): string => draw().uuid();
  const getRandomValues = <T extends ArrayBufferView>(target: T): T => draw().fillBytes(target);

  const randomBytes = (size: number, callback?: Callback<Buffer>): Buffer | undefined => {
    const bytes = draw().fillBytes(Buffer.alloc(size));
    if (callback === undefined) return bytes;
    later(() => callback(null, bytes));
    return undefined;
  };

  const fillPart = <T extends ArrayBufferView | ArrayBuffer>(target: T, offset = 0, size?: number): T => {
    const unit = ArrayBuffer.isView(target) && 'BYTES_PER_ELEMENT' in target ? Number(target.BYTES_PER_ELEMENT) : 1;
    const [buffer, start] = ArrayBuffer.isView(target) ? [target.buffer, target.byteOffset] : [target, 0];
    const length = size === undefined ? target.byteLength - offset * unit : size * unit;
    const part = new Uint8Array(buffer, start + offset * unit, length);
    draw().fillBytes(part);
    return target;
  };

  const randomFill = (target: ArrayBufferView | ArrayBuffer, ...rest: readonly unknown[]): void => {
    const callback = rest.at(-1) as Callback<unknown>;
    const [offset, size] = rest.slice(0, -1) as number[];
    fillPart(target, offset, size);
    later(() => callback(null, target));
  };

  const randomInt = (...args: readonly unknown[]): number | undefined => {
    const callback = typeof args.at(-1) === 'function' ? (args.at(-1) as Callback<number>) : undefined;
    const numbers = args.filter((arg) => typeof arg === 'number');
    const [min, max] = numbers.length > 1 ? [numbers[0] ?? 0, numbers[1] ?? 0] : [0, numbers[0] ?? 0];
    if (!(max > min && max - min < INT_RANGE_MAX))
      throw new RangeError(`the value of "max" is out of range: it must be greater than ${min}, received ${max}`);
    const value = min + draw().int(max - min);
    if (callback === undefined) return value;
    later(() => callback(null, value));
    return undefined;
  };

  patches.value(Math, 'random', () => draw().float());
  const webCrypto = Object.getPrototypeOf(globalThis.crypto) as object;
  patches.value(webCrypto, 'randomUUID', uuid);
  patches.value(webCrypto, 'getRandomValues', getRandomValues);
  patches.value(crypto, 'randomUUID', uuid);
  patches.value(crypto, 'randomBytes', randomBytes);
  patches.value(crypto, 'pseudoRandomBytes', randomBytes);
  patches.value(crypto, 'randomFillSync', fillPart);
  patches.value(crypto, 'randomFill', randomFill);
  patches.value(crypto, 'randomInt', randomInt);
}
