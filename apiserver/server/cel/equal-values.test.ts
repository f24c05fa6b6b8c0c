import { Optional } from '@marcbachmann/cel-js';
import { Duration } from '@marcbachmann/cel-js/evaluator';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SchemaNode } from '../schema/schema-node.ts';
import { EqualValues } from './equal-values.ts';
import { celConcat, celEqual } from './equality.ts';
import { rememberMessage } from './messages.ts';
import { associate } from './shapes.ts';

/** A message whose fields are getters, as in real messages. */
class Message {
  readonly #a: unknown;
  readonly #b: unknown;
  constructor(a: unknown, b: unknown) {
    this.#a = a;
    this.#b = b;
  }
  get a(): unknown {
    return this.#a;
  }
  get b(): unknown {
    return this.#b;
  }
}
const field = { key: 'a', shape: { type: 'dyn', convert: (value: unknown) => value, associative: false } };
rememberMessage(
  Message,
  new Map([
    ['a', field as never],
    ['b', { ...field, key: 'b' } as never],
  ]),
);

const scalar: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    '1',
    'a',
    1,
    1n,
    2n,
    1.5,
    new Date(1),
    new Duration(1n),
    new Uint8Array([1]),
  ),
  fc.constantFrom<unknown>(new Date(1), new Duration(1n), new Uint8Array([1]), Optional.of('a'), Optional.none()),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.tuple(scalar, scalar).map(([a, b]) => new Message(a, b === '' ? undefined : b)),
  fc.tuple(scalar, fc.array(scalar, { maxLength: 1 })).map(([a, b]) => new Message(a, b)),
  scalar.map((one) => new Map([['k', one]])),
);

it('finds the same duplicates as pairwise comparison', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 12 }), value, (values, wanted) => {
      const known = new EqualValues(celEqual, values);

      expect(known.find(wanted)).toBe(values.findIndex((one) => celEqual(one, wanted)));
    }),
  );
});

/** The number of items: comparing all pairs would take a billion steps. */
const MANY = 30_000;
const SET = { listType: 'set', listKeys: [] } as unknown as SchemaNode;
const MAP = { listType: 'map', listKeys: ['a'] } as unknown as SchemaNode;

it.each([
  ['sets', SET, (at: number): unknown => `v${at}`],
  ['maps', MAP, (at: number): unknown => new Message(`v${at}`, 'x')],
])('compares and adds lists that are %s, however long', (_, node, make) => {
  const all = Array.from({ length: MANY }, (__, at) => make(at));
  const [list, turned] = [associate([...all], node), associate(all.toReversed(), node)];

  expect(celEqual(list, turned)).toBe(true);
  expect(celEqual(list, associate([...all.slice(1), make(MANY)], node))).toBe(false);
  expect(celConcat(list, turned)).toHaveLength(MANY);
});
