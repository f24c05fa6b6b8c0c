import { describe, expect, it } from 'vitest';
import { decodeFieldSet, fieldSetOf, type FieldSet } from './field-set.ts';
import { elementText } from './path-element.ts';

function decoded(raw: Parameters<typeof decodeFieldSet>[0]): FieldSet {
  const set = decodeFieldSet(raw);
  if (typeof set === 'string') throw new TypeError(set);
  return set;
}

describe('FieldsV1', () => {
  it('round-trips, with sorted elements', () => {
    const raw = {
      'f:b': { 'k:{"port":443}': { 'f:x': {} }, 'k:{"port":80}': { '.': {}, 'f:y': {} } },
      'f:a': { 'v:10': {}, 'v:9': {}, 'v:"s"': {} },
    };

    const encoded = decoded(raw).encode();

    expect(encoded).toEqual(raw);
    expect(JSON.stringify(encoded)).toBe(
      '{"f:a":{"v:9":{},"v:10":{},"v:\\"s\\"":{}},"f:b":{"k:{\\"port\\":80}":{".":{},"f:y":{}},"k:{\\"port\\":443}":{"f:x":{}}}}',
    );
  });

  it('is escaped as in Go, however its input was escaped', () => {
    const escaped = String.raw`k:{"name":"a\u003cb\u0026c\u003e\\b\u0008\n"}`;

    expect(decoded({ 'f:list': { 'k:{"name":"a<b&c>\\\\b\\b\\n"}': {}, 'v:"<"': {} } }).encode()).toEqual({
      'f:list': { [escaped]: {}, [String.raw`v:"\u003c"`]: {} },
    });
    expect(decoded({ [escaped]: {} }).encode()).toEqual({ [escaped]: {} });
    expect(elementText(escaped)).toBe(String.raw`[name="a<b&c>\\b\b\n"]`);
  });

  it('drops elements of unknown types and refuses broken ones', () => {
    expect(decoded({ 'x:new': {}, 'f:a': {} }).encode()).toEqual({ 'f:a': {} });
    expect(decodeFieldSet({ a: {} })).toContain('key must be 2 characters long');
    expect(decodeFieldSet({ ab: {} })).toContain('missing colon: ab');
  });
});

describe('a set', () => {
  it('difference keeps children of a removed parent, recursive difference removes them', () => {
    const set = fieldSetOf('a', 'a.b', 'c');

    expect(set.difference(fieldSetOf('a')).encode()).toEqual({ 'f:a': { 'f:b': {} }, 'f:c': {} });
    expect(set.recursiveDifference(fieldSetOf('a')).encode()).toEqual({ 'f:c': {} });
  });

  it('is returned unchanged when an operation changes nothing', () => {
    const set = fieldSetOf('a', 'a.b', 'c');

    expect(set.union(fieldSetOf('a.b'))).toBe(set);
    expect(set.difference(fieldSetOf('z', 'a.z'))).toBe(set);
  });
});

describe('an element', () => {
  it('is printed as in messages (68)', () => {
    expect(['f:a', 'k:{"name":"x","port":80}', 'v:"y"', 'i:0'].map(elementText)).toEqual([
      '.a',
      '[name="x",port=80]',
      '[="y"]',
      '[0]',
    ]);
  });
});
