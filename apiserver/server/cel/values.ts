/** Kubernetes' `quantity`, `semver` and `format` libraries for CEL. */
import { Optional, type Environment } from '@marcbachmann/cel-js';
import { nameErrors, labelValueErrors, qualifiedNameErrors } from '../names.ts';
import { formatHolds } from '../schema/formats.ts';
import { registerEquality } from './equality.ts';
import { registerNamespace, registerFunctions } from './library.ts';
import { parseUrl } from './network.ts';

/** A quantity, counted in nanos: the smallest unit that the API server stores. */
class Quantity {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

const NANO = 1_000_000_000n;

const SUFFIXES: { readonly [suffix: string]: readonly [bigint, bigint] } = {
  n: [1n, NANO],
  u: [1_000n, NANO],
  m: [1_000_000n, NANO],
  '': [1n, 1n],
  k: [1_000n, 1n],
  M: [1_000_000n, 1n],
  G: [10n ** 9n, 1n],
  T: [10n ** 12n, 1n],
  P: [10n ** 15n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [2n ** 10n, 1n],
  Mi: [2n ** 20n, 1n],
  Gi: [2n ** 30n, 1n],
  Ti: [2n ** 40n, 1n],
  Pi: [2n ** 50n, 1n],
  Ei: [2n ** 60n, 1n],
};

/** Larger exponents are clamped: such a number would not fit into memory. */
const POWER_MAX = 1000;

function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '0', fraction, bare, exponent, suffix = ''] = match;
  const decimals = fraction ?? bare ?? '';
  let value = BigInt(whole + decimals) * NANO;
  let divisor = 10n ** BigInt(decimals.length);
  const scale = SUFFIXES[suffix];
  if (exponent !== undefined) {
    const power = Number(exponent);
    if (power >= 0) value *= 10n ** BigInt(Math.min(power, POWER_MAX));
    // All smaller powers are rounded up to the same value.
    else divisor *= 10n ** BigInt(Math.min(-power, whole.length + decimals.length + POWER_MAX));
  } else if (scale !== undefined) {
    value *= scale[0];
    divisor *= scale[1];
  }
  // Digits beyond nanos are rounded up, away from zero.
  const nanos = (value + divisor - 1n) / divisor;
  return new Quantity(sign === '-' ? -nanos : nanos);
}

function strictQuantity(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined)
    throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return quantity;
}

function registerQuantity(env: Environment): void {
  const type = 'kubernetes.Quantity';
  env.registerType(type, { ctor: Quantity });
  registerEquality(env, type, (left: Quantity, right: Quantity) => left.nanos === right.nanos);
  registerFunctions(env, {
    [`quantity(string): ${type}`]: strictQuantity,
    'isQuantity(string): bool': (text: string) => parseQuantity(text) !== undefined,
    [`${type}.sign(): int`]: ({ nanos }: Quantity) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n),
    [`${type}.isGreaterThan(${type}): bool`]: (a: Quantity, b: Quantity) => a.nanos > b.nanos,
    [`${type}.isLessThan(${type}): bool`]: (a: Quantity, b: Quantity) => a.nanos < b.nanos,
    [`${type}.compareTo(${type}): int`]: (a: Quantity, b: Quantity) =>
      a.nanos > b.nanos ? 1n : a.nanos < b.nanos ? -1n : 0n,
    [`${type}.asApproximateFloat(): double`]: ({ nanos }: Quantity) => Number(nanos) / Number(NANO),
    [`${type}.isInteger(): bool`]: ({ nanos }: Quantity) => nanos % NANO === 0n,
    [`${type}.asInteger(): int`]: ({ nanos }: Quantity) => {
      if (nanos % NANO !== 0n) throw new Error('cannot convert value to integer');
      return nanos / NANO;
    },
    [`${type}.add(${type}): ${type}`]: (a: Quantity, b: Quantity) => new Quantity(a.nanos + b.nanos),
    [`${type}.add(int): ${type}`]: (a: Quantity, b: bigint) => new Quantity(a.nanos + b * NANO),
    [`${type}.sub(${type}): ${type}`]: (a: Quantity, b: Quantity) => new Quantity(a.nanos - b.nanos),
    [`${type}.sub(int): ${type}`]: (a: Quantity, b: bigint) => new Quantity(a.nanos - b * NANO),
  });
}

class Semver {
  readonly numbers: readonly bigint[];
  readonly prerelease: readonly string[];

  constructor(numbers: readonly bigint[], prerelease: readonly string[]) {
    this.numbers = numbers;
    this.prerelease = prerelease;
  }
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

function parseSemver(text: string, normalise: boolean): Semver | undefined {
  const match = SEMVER.exec(normalise ? normalised(text) : text);
  if (match === null) return undefined;
  return new Semver(
    match.slice(1, 4).map((one) => BigInt(one)),
    match[4]?.split('.') ?? [],
  );
}

/** Drops a leading `v` and leading zeros, and adds missing parts: `v1.02` becomes `1.2.0`. */
function normalised(text: string): string {
  const bare = text.replace(/^v/, '');
  const [, numbers = '', rest = ''] = /^([\d.]*)(.*)$/s.exec(bare) ?? [];
  const parts = numbers.split('.').map((part) => part.replace(/^0+(?=\d)/, ''));
  while (parts.length < 3 && rest === '') parts.push('0');
  return parts.join('.') + rest;
}

function strictSemver(text: string, normalise: boolean): Semver {
  const version = parseSemver(text, normalise);
  if (version === undefined) throw new Error('No Major.Minor.Patch elements found');
  return version;
}

function compareVersions(left: Semver, right: Semver): number {
  for (const [at, number] of left.numbers.entries()) {
    const other = right.numbers[at] ?? 0n;
    if (number !== other) return number < other ? -1 : 1;
  }
  const [ours, theirs] = [left.prerelease, right.prerelease];
  if (ours.length === 0 || theirs.length === 0) return Math.sign(theirs.length - ours.length);
  for (let at = 0; at < Math.min(ours.length, theirs.length); at++) {
    const order = comparePrerelease(ours[at] ?? '', theirs[at] ?? '');
    if (order !== 0) return order;
  }
  return Math.sign(ours.length - theirs.length);
}

function comparePrerelease(left: string, right: string): number {
  const [a, b] = [/^\d+$/.test(left), /^\d+$/.test(right)];
  if (a && b) return Math.sign(Number(left) - Number(right));
  if (a !== b) return a ? -1 : 1;
  return left < right ? -1 : left > right ? 1 : 0;
}

function registerSemver(env: Environment): void {
  const type = 'kubernetes.Semver';
  env.registerType(type, { ctor: Semver });
  registerEquality(env, type, (left: Semver, right: Semver) => compareVersions(left, right) === 0);
  registerFunctions(env, {
    [`semver(string): ${type}`]: (text: string) => strictSemver(text, false),
    [`semver(string, bool): ${type}`]: (text: string, loose: boolean) => strictSemver(text, loose),
    'isSemver(string): bool': (text: string) => parseSemver(text, false) !== undefined,
    'isSemver(string, bool): bool': (text: string, loose: boolean) => parseSemver(text, loose) !== undefined,
    [`${type}.isGreaterThan(${type}): bool`]: (a: Semver, b: Semver) => compareVersions(a, b) > 0,
    [`${type}.isLessThan(${type}): bool`]: (a: Semver, b: Semver) => compareVersions(a, b) < 0,
    [`${type}.compareTo(${type}): int`]: (a: Semver, b: Semver) => BigInt(compareVersions(a, b)),
  });
  for (const [at, name] of ['major', 'minor', 'patch'].entries())
    env.registerFunction(`${type}.${name}(): int`, ({ numbers }: Semver) => numbers[at] ?? 0n);
}

class NamedFormat {
  readonly check: (text: string) => readonly string[];

  constructor(check: (text: string) => readonly string[]) {
    this.check = check;
  }
}

const holding =
  (format: string, message: string) =>
  (text: string): readonly string[] =>
    formatHolds(format, text) ? [] : [message];

const FORMATS: { readonly [name: string]: (text: string) => readonly string[] } = {
  dns1123Label: (text) => nameErrors('label', text, false),
  dns1123Subdomain: (text) => nameErrors('subdomain', text, false),
  dns1035Label: (text) => nameErrors('service', text, false),
  dns1123LabelPrefix: (text) => nameErrors('label', text, true),
  dns1123SubdomainPrefix: (text) => nameErrors('subdomain', text, true),
  dns1035LabelPrefix: (text) => nameErrors('service', text, true),
  qualifiedName: (text) => qualifiedNameErrors(text),
  labelValue: (text) => labelValueErrors(text),
  uri: (text) => (parseUrl(text) === undefined ? [`parse ${JSON.stringify(text)}: invalid URI for request`] : []),
  uuid: holding('uuid', 'does not match the UUID format'),
  byte: holding('byte', 'invalid base64'),
  date: holding('date', 'invalid date'),
  datetime: holding('datetime', 'invalid datetime'),
};

function registerFormats(env: Environment): void {
  const type = 'kubernetes.NamedFormat';
  env.registerType(type, { ctor: NamedFormat });
  registerEquality(env, type, (left: NamedFormat, right: NamedFormat) => left.check === right.check);
  const namespace = registerNamespace(env, 'format');
  const made = new Map(Object.entries(FORMATS).map(([name, check]) => [name, new NamedFormat(check)]));
  for (const [name, format] of made) env.registerFunction(`${namespace}.${name}(): ${type}`, () => format);
  env.registerFunction(`${namespace}.named(string): optional<${type}>`, (_: unknown, name: string) => {
    const format = made.get(name);
    return format === undefined ? Optional.none() : Optional.of(format);
  });
  env.registerFunction(`${type}.validate(string): optional<list<string>>`, (format: NamedFormat, text: string) => {
    const errors = format.check(text);
    return errors.length === 0 ? Optional.none() : Optional.of(errors);
  });
}

export function registerValues(env: Environment): void {
  registerQuantity(env);
  registerSemver(env);
  registerFormats(env);
}
