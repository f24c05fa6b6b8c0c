import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testServer, WIDGETS_PATH } from '../testing.ts';
import corpus from './corpus/bodies.json' with { type: 'json' };
import { decodeBody } from './decode.ts';

const YAML = 'application/yaml';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

function body(text: string, type = 'application/json'): unknown {
  return decodeBody(Buffer.from(text), type).body;
}

it('reads a body without a type as JSON, and no body as absent (14)', () => {
  expect(decodeBody(Buffer.from('{"a":1}'), '')).toEqual({ body: { a: 1 } });
  expect(decodeBody(Buffer.alloc(0), YAML)).toEqual({});
});

describe('YAML', () => {
  it('is parsed as version 1.1 (14)', () => {
    expect(body('a: yes\nb: 010\nc: 2020-01-01\nd: 0x10\ne: 1:30\n1: 2\nf: "yes"', YAML)).toEqual({
      1: 2,
      a: true,
      b: 8,
      c: '2020-01-01',
      d: 16,
      e: '1:30',
      f: 'yes',
    });
  });

  it('that is JSON is parsed equally by the fast and the slow path', () => {
    // Mostly text that the fast path handles, and sometimes text that it must leave to the slow path.
    const word = fc.string({ unit: fc.constantFrom(...'abcXYZ019 -_./:"\\{}[]#&*!|>%@~,=\n') });
    const leaf = fc.oneof(
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
    );
    const values = fc.oneof(leaf, fc.array(leaf), fc.dictionary(word, leaf), fc.jsonValue());
    const texts = fc
      .dictionary(fc.oneof(word, fc.string({ unit: 'binary' })), values)
      .map((map) => JSON.stringify(map));
    fc.assert(
      fc.property(texts, (text) => {
        expect(body(text, YAML)).toEqual(body(`# the slow way\n${text}`, YAML));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is parsed up to the end of the first document', () => {
    expect(body('---\na: 1\n---\nb: 2', YAML)).toEqual({ a: 1 });
  });

  it('with duplicate keys is reported in Go’s words', () => {
    expect(decodeBody(Buffer.from('metadata:\n  name: a\n  name: b\n'), YAML)).toEqual({
      body: { metadata: { name: 'b' } },
      duplicates: ['yaml: unmarshal errors:\n  line 3: key "name" already set in map'],
    });
  });

  it.each([
    ['a: {', 'yaml: line 1: did not find expected node content'],
    ['"a', 'yaml: found unexpected end of stream'],
    ['a: b: c', 'yaml: mapping values are not allowed in this context'],
    ['\ta', 'yaml: found character that cannot start any token'],
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
    ['a: &b 1\nb: *b\nc: *d', "yaml: unknown anchor 'd' referenced"],
    ['a: .inf', 'json: unsupported value: +Inf'],
  ])('%j is refused: %s', (text, decodeError) => {
    expect(decodeBody(Buffer.from(text), YAML)).toEqual({ undecodable: text, decodeError });
  });

  it('that expands without bound is refused', () => {
    const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (const [of, name] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi'].map((pair) => [...pair]))
      lines.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${of}`).join(',')}]`);

    expect(decodeBody(Buffer.from(lines.join('\n')), YAML).decodeError).toBe(
      'yaml: document contains excessive aliasing',
    );
  });
});

describe('protobuf', () => {
  it('is read as the kind of the path when it names none', () => {
    const { server } = testServer();
    const route = server.routeOf('/api/v1/namespaces/default/configmaps');

    expect(decodeBody(Buffer.from('k8s\0\x12\x05\x0a\x03\x0a\x01a'), PROTOBUF, 'POST', route)).toEqual({
      body: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } },
    });
  });

  it('of a delete is read as its options (15)', () => {
    const route = testServer().server.routeOf(`${WIDGETS_PATH}/a`);

    expect(decodeBody(Buffer.from('k8s\0\x12\x02\x08\x05'), PROTOBUF, 'DELETE', route).body).toMatchObject({
      kind: 'DeleteOptions',
      gracePeriodSeconds: 5,
    });
  });
});

describe('whatever is sent', () => {
  const types = [...new Set(corpus.map(({ type }) => type))];

  it.each(corpus.map((one) => [`${one.type}: ${one.why}`, one] as const))('is read or refused, %s', (_, one) => {
    const decoded = decodeBody(Buffer.from(one.base64, 'base64'), one.type, 'POST');

    expect('body' in decoded || 'undecodable' in decoded).toBe(true);
  });

  it('however the corpus is cut and joined, it is read or refused', () => {
    const pieces = corpus.map(({ base64 }) => Buffer.from(base64, 'base64')).filter(({ length }) => length < 5000);
    const cut = fc.tuple(fc.constantFrom(...pieces), fc.nat(400), fc.nat(400));
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), fc.constantFrom(...types), (parts, type) => {
        const bytes = Buffer.concat(parts.map(([piece, from, length]) => piece.subarray(from, from + length)));
        const decoded = decodeBody(bytes, type, 'POST');
        expect(bytes.length === 0 || 'body' in decoded || 'undecodable' in decoded).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

it('passes 64-bit integers through schemas with all their digits', () => {
  const { server, request } = testServer();
  const { body } = decodeBody(Buffer.from('{"n":9007199254740993}'), '');
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'longs.example.com' },
    spec: {
      group: 'example.com',
      names: { plural: 'longs', kind: 'Long' },
      scope: 'Cluster',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { n: { type: 'integer', format: 'int64' } } } },
            },
          },
        },
      ],
    },
  };
  server.installCrd(definition);
  const long = { apiVersion: 'example.com/v1', kind: 'Long', metadata: { name: 'a' }, spec: body ?? null };

  const { code, object } = request('POST', '/apis/example.com/v1/longs', long);

  expect([code, JSON.stringify(object['spec'])]).toEqual([201, '{"n":9007199254740993}']);
});
