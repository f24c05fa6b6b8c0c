import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { longInteger, longIntegerDigits } from '../go-json.ts';
import { durationOf, durationText } from './duration.ts';
import { decodeProtobuf, encodeFrame, encodeProtobuf } from './envelope.ts';
import { Writer } from './writer.ts';

/** The answers of kube-apiserver 1.36.3, as JSON and as protobuf, for one object of each kind. */
interface Recorded {
  readonly path: string;
  readonly json: JsonObject;
  readonly protobuf: string;
}

const RECORDED = JSON.parse(
  readFileSync(new URL('generated/recorded.json', import.meta.url), 'utf8'),
) as readonly Recorded[];

/** Removes what protobuf cannot represent: nulls, and the type information of nested objects. */
function comparable(value: JsonValue | undefined, inside = false): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => comparable(item, true));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const map: { [key: string]: JsonValue } = {};
  for (const [key, item] of Object.entries(value as JsonObject)) {
    const type = inside && (key === 'apiVersion' || key === 'kind') && Object.hasOwn(value, 'metadata');
    if (item !== null && item !== undefined && !type) map[key] = comparable(item, true);
  }
  return map;
}

describe('a real server’s protobuf', () => {
  it.each(RECORDED)('decodes to the JSON of the same object: $path (17)', ({ json, protobuf }) => {
    const decoded = decodeProtobuf(Buffer.from(protobuf, 'base64'));

    expect('body' in decoded && comparable(decoded.body)).toEqual(comparable(json));
  });

  it.each(RECORDED)('is encoded byte for byte: $path (17)', ({ json, protobuf }) => {
    expect(encodeProtobuf(json)?.toString('base64')).toBe(protobuf);
  });
});

function bodyOf(object: JsonObject): JsonObject {
  const decoded = decodeProtobuf(encodeProtobuf(object) ?? Buffer.alloc(0));
  if (!('body' in decoded)) throw new Error(decoded.error);
  return decoded.body;
}

it('reads the options of a delete in any group (15, 75)', () => {
  const options = {
    kind: 'DeleteOptions',
    apiVersion: 'apps/v1',
    gracePeriodSeconds: 0,
    preconditions: { uid: 'u' },
    propagationPolicy: 'Foreground',
    dryRun: ['All'],
  };

  expect(bodyOf(options)).toEqual(options);
});

it('decodes a message without a type as the kind of the request', () => {
  const bytes = Buffer.concat([Buffer.from('k8s\0\x0a\x00\x12\x02\x08\x05', 'latin1')]);

  expect(decodeProtobuf(bytes, { apiVersion: 'meta.k8s.io/v1', kind: 'DeleteOptions' })).toEqual({
    body: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 5 },
  });
});

it('keeps 64-bit integers exact', () => {
  const metadata = { name: 'a', generation: longInteger('9223372036854775807') };

  const { metadata: read } = bodyOf({ kind: 'Namespace', apiVersion: 'v1', metadata }) as { metadata: JsonObject };

  expect(longIntegerDigits(read['generation'])).toBe('9223372036854775807');
});

it('keeps negative numbers', () => {
  expect(bodyOf({ kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1', metadata: {}, value: -5 })).toMatchObject({
    value: -5,
  });
});

it("refuses a non-protobuf body with the real server's message (17)", () => {
  expect(decodeProtobuf(Buffer.from('{}'))).toEqual({
    error: 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
  });
  expect(decodeProtobuf(Buffer.from('k8s\0'))).toEqual({ error: 'empty body' });
  const unknown = encodeProtobuf({ kind: 'Status', apiVersion: 'v1' })?.toString('latin1').replace('Status', 'Statue');
  expect(decodeProtobuf(Buffer.from(unknown ?? '', 'latin1'))).toEqual({
    error: 'no kind "Statue" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    as: { apiVersion: 'v1', kind: 'Statue' },
  });
});

it('reports broken messages as Go does', () => {
  const pod = encodeProtobuf({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } }) ?? Buffer.alloc(0);

  expect(decodeProtobuf(pod.subarray(0, pod.length - 10))).toMatchObject({ error: 'unexpected EOF' });
  expect(decodeProtobuf(Buffer.from('k8s\0\x12\x02\x08\x01\x0a\x09\x0a\x02v1\x12\x03Pod', 'latin1'))).toEqual({
    error: 'proto: wrong wireType = 0 for field ObjectMeta',
    as: { apiVersion: 'v1', kind: 'Pod' },
  });
});

it('frames an event with its length in four bytes', () => {
  const frame = encodeFrame('ADDED', Buffer.from('x'));

  expect(frame.readUInt32BE(0)).toBe(frame.length - 4);
  expect(frame.toString('latin1', 4)).toBe('\x0a\x05ADDED\x12\x03\x0a\x01x');
});

it('writes durations as Go does', () => {
  for (const text of ['0s', '1h0m0s', '1m30s', '1.5s', '10ms', '-2m0s', '250µs'])
    expect(durationText(durationOf(text))).toBe(text);
  for (const text of ['', '5', 'about 5s', '5s, or 3']) expect(durationOf(text)).toBe(0);
});

describe('any bytes', () => {
  const bytes = RECORDED.map(({ protobuf }) => Buffer.from(protobuf, 'base64'));

  it('decode or are refused, without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        const decoded = decodeProtobuf(Buffer.concat([Buffer.from('k8s\0'), tail]));
        expect('body' in decoded || typeof decoded.error === 'string').toBe(true);
      }),
    );
  });

  it('of real objects with a few changed decode or are refused, without throwing', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...bytes), changes, (original, edits) => {
        const copy = Buffer.from(original);
        for (const [at, value] of edits) copy[4 + (at % (copy.length - 4))] = value;
        const decoded = decodeProtobuf(copy);
        expect('body' in decoded || typeof decoded.error === 'string').toBe(true);
        if ('body' in decoded) encodeProtobuf(decoded.body);
      }),
      { numRuns: 500 },
    );
  });

  it('with unbounded nesting are refused', () => {
    const writer = new Writer();
    for (let depth = 0; depth < 100_000; depth++) {
      writer.varint(writer.length);
      writer.tag(27, 2);
    }
    const crd = (schema: Buffer): Buffer => {
      const outer = new Writer();
      outer.raw(schema);
      // The field numbers of schema.openAPIV3Schema in versions[0] of the spec, then of the message and its type.
      for (const id of [1, 4, 7, 2, 2]) {
        outer.varint(outer.length);
        outer.tag(id, 2);
      }
      const type = Buffer.from('\x0a\x17apiextensions.k8s.io/v1\x12\x18CustomResourceDefinition');
      return Buffer.concat([Buffer.from(`k8s\0\x0a${String.fromCharCode(type.length)}`), type, outer.finish()]);
    };

    expect(decodeProtobuf(crd(Buffer.from('\x2a\x01x')))).toMatchObject({
      body: { spec: { versions: [{ schema: { openAPIV3Schema: { type: 'x' } } }] } },
    });
    expect(decodeProtobuf(crd(writer.finish()))).toMatchObject({ error: 'proto: message nested too deeply' });
  });
});
