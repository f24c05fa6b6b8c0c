import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../objects/object.ts';
import { longInteger, longIntegerDigits, parseJson, syntaxError } from './go-json.ts';

/** kube-apiserver 1.36.3's errors for malformed bodies. */
const SAID: readonly (readonly [text: string, error: string])[] = [
  ['', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['{"a"', 'unexpected end of JSON input'],
  ['{"a":', 'unexpected end of JSON input'],
  ['"abc', 'unexpected end of JSON input'],
  ['x', "invalid character 'x' looking for beginning of value"],
  ['{"a":x}', "invalid character 'x' looking for beginning of value"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{,}', "invalid character ',' looking for beginning of object key string"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a":01}', "invalid character '1' after object key:value pair"],
  ['[1 2]', "invalid character '2' after array element"],
  ['{} x', "invalid character 'x' after top-level value"],
  ['{"a":1}{', "invalid character '{' after top-level value"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
  ['tru ', "invalid character ' ' in literal true (expecting 'e')"],
  ['{"a":-}', "invalid character '}' in numeric literal"],
  ['{"a":1.}', "invalid character '}' after decimal point in numeric literal"],
  ['{"a":1e}', "invalid character '}' in exponent of numeric literal"],
  ['{"a":"\\x"}', "invalid character 'x' in string escape code"],
  ['{"a":"\\u12g4"}', "invalid character 'g' in \\u hexadecimal character escape"],
  ['{"a":"\n"}', "invalid character '\\n' in string literal"],
  ['\u{feff}{}', "invalid character 'ï' looking for beginning of value"],
  ['['.repeat(10_001) + ']'.repeat(10_001), "invalid character '[' exceeded max depth"],
];

it.each(SAID.map(([text, error]) => [text.slice(0, 20), error, text] as const))('says of %j: %s', (_, error, text) => {
  expect(syntaxError(text)).toBe(error);
  expect(() => parseJson(text)).toThrow(error);
});

describe('duplicate fields', () => {
  it('are reported by path, once each, and the last one wins', () => {
    const text =
      '{"metadata":{"name":"a","name":"b","labels":{"x":"1","x":"2","x":"3"}},"data":{"a":"1","a":"2"},"data":{},"data":{}}';

    expect(parseJson(text)).toEqual({
      body: { metadata: { name: 'b', labels: { x: '3' } }, data: {} },
      duplicates: [
        'duplicate field "metadata.name"',
        'duplicate field "metadata.labels.x"',
        'duplicate field "data.a"',
        'duplicate field "data"',
      ],
    });
  });

  it('are found inside lists', () => {
    const text = '{"spec":{"containers":[{},{"name":"a","name":"b","env":[{"q":1,"q":2}]}]}}';

    expect(parseJson(text).duplicates).toEqual([
      'duplicate field "spec.containers[1].name"',
      'duplicate field "spec.containers[1].env[0].q"',
    ]);
  });

  it('are not reported where there are none', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        expect(parseJson(JSON.stringify(value, undefined, indent)).duplicates).toBeUndefined();
      }),
    );
  });
});

describe('numbers', () => {
  it('of 64 bits keep all their digits', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,1,1.5]}';

    const { body } = parseJson(text);

    expect(JSON.stringify(body)).toBe(text);
    expect(longIntegerDigits((body as { readonly a: JsonValue }).a)).toBe('9007199254740993');
  });

  it('beyond 64 bits are doubles', () => {
    expect(parseJson('[12345678901234567890]').body).toEqual([Number('12345678901234567890')]);
  });

  it('of any size in 64 bits round-trip', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (integer) => {
        expect(JSON.stringify(parseJson(`[${integer}]`).body)).toBe(`[${integer}]`);
        expect(longIntegerDigits(longInteger(String(integer)))).toBe(String(integer));
      }),
    );
  });
});

it('replaces lone surrogates', () => {
  expect(parseJson(String.raw`{"a":"\ud800x"}`).body).toEqual({ a: '\u{fffd}x' });
});

it('parses a few thousand levels', () => {
  expect(() => parseJson(`${'['.repeat(9000)}${']'.repeat(9000)}`)).not.toThrow();
});

it('accepts the same texts as JSON.parse', () => {
  const pieces = fc.array(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '"a"', '1', '-', '.', 'e', '0', 'true', 'null', '\\', ' ', 'ü'),
    { maxLength: 12 },
  );
  const parses = (text: string): boolean => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  };
  fc.assert(
    fc.property(pieces, (parts) => {
      const text = parts.join('');
      expect(syntaxError(text) === undefined).toBe(parses(text));
    }),
    { numRuns: 2000 },
  );
});

describe("integers beyond a double's precision", () => {
  it.each([
    '[9007199254740993,-9223372036854775808,9223372036854775807]',
    '{"a":{"b":9007199254740993},"c":"9007199254740993","d":": 9007199254740993"}',
    String.raw`["\u00009007199254740993",9007199254740993]`,
    '{"__proto__":9007199254740993}',
    '9007199254740993',
  ])('keep their digits in %s', (text) => {
    expect(JSON.stringify(parseJson(text).body)).toBe(text);
  });

  it('are only those within 64 bits, no fractions or exponents', () => {
    const text = '[0.1234567890123456,1e20,18446744073709551616,1234567890123456]';

    expect(parseJson(text).body).toEqual([0.1234567890123456, 1e20, 18446744073709551616, 1234567890123456]);
  });

  it('come with lone surrogates replaced', () => {
    expect(parseJson(String.raw`["\ud800","x"]`).body).toEqual(['\ufffd', 'x']);
  });
});
