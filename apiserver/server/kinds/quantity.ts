/**
 * Quantities in canonical form: `1000m` is `1`, `1024Mi` is `1Gi`, 0.5 is `500m`.
 *
 * Mirrors k8s.io/apimachinery `api/resource/quantity.go`. An invalid quantity is returned unchanged.
 */
import type { JsonValue } from '../../objects/object.ts';

const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\d+))?$/;
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The maximum length of a quantity that is converted and cached: longer ones are not realistic and are kept unchanged. */
const DIGITS_MAX = 1000;
const REMEMBERED_MAX = 100;
/** The maximum exponent: larger ones are clamped, because such a number would not fit into memory. */
const POWER_MAX = 1000;

const known = new Map<string, string>();

/** Returns the canonical form of a quantity; numbers become strings. */
export function canonicalQuantity(value: JsonValue): JsonValue {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const text = String(value);
  let canonical = known.get(text);
  if (canonical === undefined) {
    canonical = canonicalText(text);
    if (known.size > 10_000) known.clear();
    if (text.length <= REMEMBERED_MAX) known.set(text, canonical);
  }
  return canonical;
}

/** Reports whether Go accepts a value as a quantity. */
export function isQuantity(value: JsonValue): boolean {
  if (typeof value === 'number') return true;
  if (typeof value !== 'string' || value === '') return false;
  const match = SHAPE.exec(value);
  return match !== null && !((match[2] ?? '') === '' && (match[3] ?? '') === '');
}

function canonicalText(text: string): string {
  const match = SHAPE.exec(text.trim());
  if (match === null) return text;
  const [, sign = '', whole = '', fraction = '', binary, decimal, exponent] = match;
  if (whole === '' && fraction === '') return text;
  if (whole.length + fraction.length > DIGITS_MAX || Number(exponent ?? 0) > POWER_MAX) return text;
  const nanos = magnitude(whole, fraction, binary, decimal, exponent);
  if (nanos === 0n) return '0';
  const minus = sign === '-' ? '-' : '';
  const unit = 10n ** 9n;
  if (binary !== undefined && nanos % unit === 0n && nanos >= 1024n * unit)
    return minus + withSuffix(nanos / unit, 1024n, BINARY);
  if (exponent !== undefined) return minus + inExponents(nanos);
  return minus + withSuffix(nanos, 1000n, DECIMAL);
}

function withSuffix(value: bigint, base: bigint, suffixes: readonly string[]): string {
  let index = 0;
  let rest = value;
  while (rest % base === 0n && index < suffixes.length - 1) {
    rest /= base;
    index++;
  }
  return `${rest}${suffixes[index] ?? ''}`;
}

function inExponents(nanos: bigint): string {
  let exponent = -9;
  let rest = nanos;
  while (rest % 1000n === 0n) {
    rest /= 1000n;
    exponent += 3;
  }
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}

/** Returns a negative number, zero or a positive number if `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: JsonValue, b: JsonValue): number {
  const [x, y] = [nanosOf(a), nanosOf(b)];
  return x === y ? 0 : x < y ? -1 : 1;
}

function nanosOf(value: JsonValue): bigint {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const match = SHAPE.exec(text.trim());
  if (match === null) return 0n;
  const [, sign = '', whole = '', fraction = '', binary, decimal, exponent] = match;
  return (sign === '-' ? -1n : 1n) * magnitude(whole, fraction, binary, decimal, exponent);
}

/** Returns a quantity in nanos, rounded up, because smaller units cannot be represented. */
function magnitude(
  whole: string,
  fraction: string,
  binary: string | undefined,
  decimal: string | undefined,
  exponent: string | undefined,
): bigint {
  let power = 9 - fraction.length;
  if (decimal !== undefined) power += (DECIMAL.indexOf(decimal) - 3) * 3;
  if (exponent !== undefined) power += Number(exponent);
  const digits = whole + fraction;
  if (-power > digits.length) return /[1-9]/.test(digits) ? 1n : 0n;
  power = Math.min(power, POWER_MAX);
  let nanos = BigInt(digits);
  if (binary !== undefined) nanos *= 1024n ** BigInt(BINARY.indexOf(binary));
  if (power >= 0) return nanos * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  return (nanos + divisor - 1n) / divisor;
}
