/**
 * Conversions, comparisons and standard functions that cel-js lacks: times as texts and numbers, comparison of bytes, `matches` with two
 * arguments, unwrapping lists of optionals.
 */
import { registerFunctions } from './library.ts';
import type { Environment, Optional } from '@marcbachmann/cel-js';
import type { Duration } from '@marcbachmann/cel-js/evaluator';
import { goPatternMatches } from './presence.ts';

const NANOS = 1_000_000_000;

export function registerConversions(env: Environment): void {
  registerFunctions(env, {
    'string(google.protobuf.Timestamp): string': (time: Date) => time.toISOString().replace(/\.?0*Z$/, 'Z'),
    'int(google.protobuf.Timestamp): int': (time: Date) => BigInt(Math.floor(time.getTime() / 1000)),
    'string(google.protobuf.Duration): string': ({ seconds, nanos }: Duration) => `${Number(seconds) + nanos / NANOS}s`,
    'int(google.protobuf.Duration): int': ({ seconds, nanos }: Duration) => seconds * BigInt(NANOS) + BigInt(nanos),
  });
  for (const [operator, holds] of ORDERS)
    env.registerOperator(`bytes ${operator} bytes`, (left: Uint8Array, right: Uint8Array) =>
      holds(Buffer.compare(left, right)),
    );
  registerFunctions(env, {
    'matches(string, string): bool': goPatternMatches,
    'list<optional<A>>.unwrapOpt(): list<A>': unwrapped,
    'OptionalNamespace.unwrap(list<optional<A>>): list<A>': (_: unknown, list: Optionals) => unwrapped(list),
  });
}

const ORDERS: readonly (readonly [string, (order: number) => boolean])[] = [
  ['<', (order) => order < 0],
  ['<=', (order) => order <= 0],
  ['>', (order) => order > 0],
  ['>=', (order) => order >= 0],
];

type Optionals = readonly Optional[];

function unwrapped(list: Optionals): readonly unknown[] {
  return list.filter((one) => one.hasValue()).map((one) => one.value());
}
