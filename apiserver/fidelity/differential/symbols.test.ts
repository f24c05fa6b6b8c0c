import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { Symbols } from './symbols.ts';

const UID_A = '11111111-1111-4111-8111-111111111111';
const UID_B = '22222222-2222-4222-8222-222222222222';

function object(resourceVersion: string, more: JsonObject = {}): JsonObject {
  return { metadata: { name: 'a', resourceVersion, ...more } };
}

function version(symbols: Symbols, resourceVersion: string): unknown {
  return (symbols.of(object(resourceVersion)) as { metadata: JsonObject }).metadata['resourceVersion'];
}

it('numbers versions by order, not by value', () => {
  const [one, other] = [new Symbols(), new Symbols()];
  expect(['7', '9', '7', '30'].map((at) => version(one, at))).toEqual(
    ['100', '2000', '100', '2001'].map((at) => version(other, at)),
  );
});

it('distinguishes a new version from an earlier one', () => {
  const [one, other] = [new Symbols(), new Symbols()];
  version(one, '5');
  version(other, '5');
  expect(version(one, '5')).not.toBe(version(other, '6'));
});

it('distinguishes a version between two others from a later one', () => {
  const [one, other] = [new Symbols(), new Symbols()];
  for (const at of ['5', '9']) {
    version(one, at);
    version(other, at);
  }
  expect(version(one, '7')).not.toBe(version(other, '10'));
});

it('compares the version of a collection by the objects that it includes', () => {
  const [one, other] = [new Symbols(), new Symbols()];
  version(one, '5');
  version(other, '50');
  const list = (resourceVersion: string): JsonObject => ({ metadata: { resourceVersion } });
  expect(one.of(list('8'))).toEqual(other.of(list('51')));
  expect(one.of(list('8'))).not.toEqual(other.of(list('49')));
});

it('numbers uids in order of first appearance, so that a swapped one shows', () => {
  const symbols = new Symbols();
  expect(symbols.of([UID_B, UID_A, UID_B])).toEqual(['uid-1', 'uid-2', 'uid-1']);
  expect(new Symbols().of([UID_B, UID_A, UID_A])).not.toEqual(['uid-1', 'uid-2', 'uid-1']);
});

it('keeps numbers in messages that are not versions', () => {
  const symbols = new Symbols();
  version(symbols, '101');
  const status = (message: string): unknown => (symbols.of({ message }) as JsonObject)['message'];
  expect(status('Invalid value: 101: should be less than or equal to 100')).toBe(
    'Invalid value: 101: should be less than or equal to 100',
  );
  expect(status('the ResourceVersion in record (101) differs')).toBe('the ResourceVersion in record (v1) differs');
  expect(status('the ResourceVersion in record (77) differs')).toBe('the ResourceVersion in record (unseen) differs');
  expect(status('{"resourceVersion":"101","size":101}')).toBe('{"resourceVersion":"v1","size":101}');
});

it('keeps the times that sequences send, but not the servers’ own', () => {
  const symbols = new Symbols();
  expect(symbols.of(['2020-01-01T00:00:00Z', '2026-05-06T07:08:09Z', '2026-05-06T07:08:09.000001Z'])).toEqual([
    '2020-01-01T00:00:00Z',
    'TIME',
    'MICROTIME',
  ]);
});

it('ignores the order of quoted objects and of owners of fields', () => {
  const symbols = new Symbols();
  const quoted = (text: string): string => `patch: Invalid value: ${JSON.stringify(text)}: wrong`;
  expect(symbols.of({ message: quoted('{"b":1,"a":[{"d":1,"c":2}]}') })).toEqual({
    message: quoted('{"a":[{"c":2,"d":1}],"b":1}'),
  });
  expect(symbols.of({ message: quoted('{"b":1}') })).not.toEqual({ message: quoted('{"b":2}') });
  const [first, second] = [{ manager: 'm' }, { manager: 'n' }];
  expect(symbols.of({ managedFields: [second, first] })).toEqual({ managedFields: [first, second] });
});

it('ignores the order of the errors of an apply, but compares every one', () => {
  const symbols = new Symbols();
  const message = (...lines: readonly string[]): JsonObject => ({
    message: `failed: errors:\n${lines.map((line) => `  ${line}`).join('\n')}`,
  });
  expect(symbols.of(message('.a: x', '.b: y'))).toEqual(symbols.of(message('.b: y', '.a: x')));
  expect(symbols.of(message('.a: x', '.b: y'))).not.toEqual(symbols.of(message('.a: x', '.b: z')));
  expect(symbols.of(message('.a: x', '.b: y'))).not.toEqual(symbols.of(message('.a: x')));
});

it('ignores the order of causes, but compares every one', () => {
  const status = (...causes: readonly string[]): JsonObject => ({
    kind: 'Status',
    apiVersion: 'v1',
    message: `x is invalid: [${causes.join(', ')}]`,
    details: { causes: causes.map((field) => ({ field })) },
  });
  const symbols = new Symbols();
  expect(symbols.of(status('a', 'b'))).toEqual(symbols.of(status('b', 'a')));
  expect(symbols.of(status('a', 'b'))).not.toEqual(symbols.of(status('a', 'b', 'b')));
  expect(symbols.of(status('a', 'b'))).not.toEqual(symbols.of(status('a', 'c')));
});

it('compares tokens by version and position, and malformed ones verbatim', () => {
  const token = (rv: number, start: string): string =>
    Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv, start })).toString('base64url');
  const [one, other] = [new Symbols(), new Symbols()];
  version(one, '5');
  version(other, '6');
  const list = (text: string): JsonObject => ({ metadata: { continue: text } });
  expect(one.of(list(token(7, 'a')))).toEqual(other.of(list(token(8, 'a'))));
  expect(one.of(list(token(7, 'a')))).not.toEqual(other.of(list(token(8, 'b'))));
  expect(one.of(list('bad'))).toEqual(list('bad'));
});
