/**
 * Invalid request bodies: mutated bytes, documents, objects and patches.
 *
 * Owns: base bodies and their mutations. Start at {@link bodyRequests}.
 */
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { encodeProtobuf } from '../../wire/protobuf/envelope.ts';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { BASES } from './documents.ts';
import { WHOLE } from './texts.ts';
import type { FuzzRequest } from './client.ts';
import { cells, words } from '../differential/word-lists.ts';

const DELETE_OPTIONS: JsonObject = {
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  gracePeriodSeconds: 0,
  propagationPolicy: 'Background',
  preconditions: { uid: 'u' },
  dryRun: ['All'],
};

const ODD: readonly JsonValue[] = [
  null,
  0,
  1,
  -1,
  1.5,
  99999999999,
  'text',
  '',
  ' ',
  '1',
  true,
  false,
  [],
  {},
  [null],
  [[]],
  ['a'],
  [1],
  { a: {} },
  { a: 1 },
  { '': '' },
  'é',
  'a\u0000b',
  'x'.repeat(300),
  'v1',
  'Widget',
  '2020-01-01',
  '2020-01-01T00:00:00Z',
  { name: 'q' },
  [{}],
  [{ name: 1 }],
  '10.5.5.5',
  '1e3',
  -2147483649,
  2147483648,
];

type Path = readonly (string | number)[];

function pathsOf(value: JsonValue | undefined, at: Path = []): readonly Path[] {
  if (Array.isArray(value)) return [at, ...value.flatMap((one, index) => pathsOf(one as JsonValue, [...at, index]))];
  if (typeof value === 'object' && value !== null)
    return [at, ...Object.entries(value).flatMap(([key, one]) => pathsOf(one as JsonValue, [...at, key]))];
  return [at];
}

function replaced(value: JsonValue | undefined, [head, ...rest]: Path, by: JsonValue): JsonValue {
  if (head === undefined) return by;
  if (Array.isArray(value))
    return value.map((one, index) => (index === head ? replaced(one as JsonValue, rest, by) : (one as JsonValue)));
  if (typeof value !== 'object' || value === null) return by;
  const object = value as JsonObject;
  return { ...object, [head]: replaced(object[head], rest, by) };
}

const KEYS = [
  ...words('unknown spec metadata status kind Name data'),
  '',
  ...words(`
    finalizers ownerReferences managedFields labels annotations uid creationTimestamp generateName namespace
    resourceVersion deletionTimestamp generation selfLink immutable binaryData
  `),
];

/** Replaces or adds a value. */
const change = fc.record({
  at: fc.nat(),
  odd: fc.constantFrom(...ODD),
  add: fc.boolean(),
  key: fc.constantFrom(...KEYS),
});

function changed(
  object: JsonValue,
  { at, odd, add, key }: { readonly at: number; readonly odd: JsonValue; readonly add: boolean; readonly key: string },
): JsonValue {
  const paths = pathsOf(object);
  const path = paths[at % paths.length] ?? [];
  if (!add) return replaced(object, path, odd);
  const holders = paths.filter(
    (one) =>
      !Array.isArray(valueAt(object, one)) && typeof valueAt(object, one) === 'object' && valueAt(object, one) !== null,
  );
  const holder = holders[at % holders.length] ?? [];
  return replaced(object, [...holder, key], odd);
}

function valueAt(value: JsonValue | undefined, path: Path): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((one, key) => (one as JsonObject | undefined)?.[key], value);
}

const PIECES = [...'\u0000"{},:[\\\n\tx0\uFEFF \u00e9-.'];
const FIELDS = words(`
  "kind":"Pod", "metadata":{"name":"z"}, "a":{"b":1,"b":2}, "spec":{}, "data":{"k":"1","k":"2"},
`);

type Damage = (bytes: Buffer) => Buffer;

const inserted =
  (at: number, piece: Buffer): Damage =>
  (bytes) =>
    Buffer.concat([bytes.subarray(0, at % (bytes.length + 1)), piece, bytes.subarray(at % (bytes.length + 1))]);

/** Mutates the bytes of a body, or leaves them unchanged. */
const damage = fc.oneof<fc.WeightedArbitrary<Damage>[]>(
  { weight: 6, arbitrary: fc.constant<Damage>((bytes) => bytes) },
  {
    weight: 1,
    arbitrary: fc.nat().map(
      (at): Damage =>
        (bytes) =>
          bytes.subarray(0, at % (bytes.length + 1)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.constantFrom(...PIECES)).map(([at, text]) => inserted(at, Buffer.from(text))),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.nat(), fc.constantFrom(0xff, 0xc3, 0x80, 0x00))
      .map(([at, byte]) => inserted(at, Buffer.from([byte]))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(), fc.nat()).map(([at, to]): Damage => (bytes) => {
      const copy = Buffer.from(bytes);
      if (copy.length > 0) copy[at % copy.length] = to % 256;
      return copy;
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('x', '{}', '\n---\n{}', '\u0000', ' ', ',').map(
      (text): Damage =>
        (bytes) =>
          Buffer.concat([bytes, Buffer.from(text)]),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...FIELDS).map(
      (text): Damage =>
        (bytes) =>
          Buffer.from(bytes.toString('latin1').replace('{', `{${text}`), 'latin1'),
    ),
  },
);

const TYPES = [
  ...cells(`
    application/json | application/json | application/json | application/yaml | application/yaml
    application/vnd.kubernetes.protobuf | application/cbor | application/cbor-seq
  `),
  '',
  ...cells(`
    text/plain | APPLICATION/JSON | application/json; charset=utf-8 | application/json; charset=latin1
    application/json; | application/json; a | application/xml | text/json | text/yaml | application/x-yaml | json
    */* | application/* | application/json, application/yaml | multipart/form-data
    application/x-www-form-urlencoded | application/merge-patch+json | application/vnd.kubernetes.protobuf;type=x
    application/apply-patch+yaml
  `),
];
const PATCH_TYPES = [
  ...cells(`
    application/json-patch+json | application/json-patch+json | application/json-patch+json
    application/merge-patch+json | application/merge-patch+json | application/strategic-merge-patch+json
    application/strategic-merge-patch+json | application/apply-patch+yaml | application/apply-patch+yaml
    application/apply-patch+cbor | application/json | application/yaml
  `),
  '',
  ...cells(`
    APPLICATION/MERGE-PATCH+JSON | application/merge-patch+json; charset=utf-8 | application/merge-patch+json;
    text/plain | application/apply-patch+json
  `),
];

const POINTERS = [
  '',
  ...words(`
    / /metadata /metadata/labels /metadata/labels/a /metadata/labels/ /metadata/name /spec /data/k /spec/parts/0
    /spec/parts/- /spec/parts/-1 /spec/parts/99 /spec/parts/x /spec/parts/01 /spec/replicas /kind /a~1b /a~2 ~
    metadata // /absent/child /metadata/labels/a/b /status /spec/template/spec/containers/0/image
  `),
];
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record(
        {
          op: fc.constantFrom<JsonValue>(
            'add',
            'remove',
            'replace',
            'move',
            'copy',
            'test',
            'test',
            'ADD',
            '',
            'nope',
            1,
            null,
          ),
          path: fc.constantFrom<JsonValue>(...POINTERS, 1, null),
          value: fc.constantFrom(...ODD),
          from: fc.constantFrom<JsonValue>(...POINTERS, 1, null),
        },
        { requiredKeys: [] },
      )
      .map((one): JsonValue => one as JsonObject),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
);
const DIRECTIVES: readonly JsonObject[] = [
  { $patch: 'delete' },
  { $patch: 'replace' },
  { $patch: 'nope' },
  { $patch: 1 },
  { $retainKeys: ['a'] },
  { $retainKeys: 1 },
  { '$deleteFromPrimitiveList/finalizers': ['a'] },
  { '$setElementOrder/finalizers': ['a'] },
  { '$setElementOrder/finalizers': 'x' },
  { spec: { $patch: 'replace', replicas: 3 } },
  { metadata: { $patch: 'delete' } },
  { spec: { template: { spec: { containers: [{ $patch: 'delete', name: 'c' }] } } } },
  { spec: { template: { spec: { containers: [{ image: 'x' }] } } } },
  { spec: { template: { spec: { '$setElementOrder/containers': [{ name: 'zz' }] } } } },
  { spec: { containers: [{ name: 'c', image: 'new' }] } },
  { spec: { template: { spec: { containers: 'x' } } } },
];

function encoded(value: JsonValue, type: string): Buffer {
  if (type.includes('yaml')) return Buffer.from(stringify(value));
  if (type.includes('protobuf') && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    try {
      const bytes = encodeProtobuf(value as JsonObject);
      if (bytes !== undefined) return bytes;
    } catch {
      // A body without a protobuf form is sent as JSON under the wrong type, which is bad input as well.
    }
  }
  return Buffer.from(JSON.stringify(value));
}

/** Requests with mutated bodies. */
export const bodyRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    base: fc.constantFrom(...BASES),
    method: fc.constantFrom('POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE'),
    type: fc.constantFrom(...TYPES),
    patchType: fc.constantFrom(...PATCH_TYPES),
    whole: fc.option(fc.constantFrom(...WHOLE), { freq: 3 }),
    changes: fc.array(change, { minLength: 0, maxLength: 2 }),
    operations: fc.array(operation, { maxLength: 3 }),
    directive: fc.option(fc.constantFrom(...DIRECTIVES), { freq: 2 }),
    damage,
    query: fc.constantFrom(
      '',
      '',
      '?fieldValidation=Strict',
      '?fieldValidation=Strict',
      '?fieldValidation=Ignore',
      '?dryRun=All',
      '?fieldManager=m',
      '?fieldManager=m&force=true',
    ),
  })
  .map(({ base, method, type, patchType, whole, changes, operations, directive, damage: damaged, query }) => {
    const contentType = method === 'PATCH' ? patchType : type;
    const sub = base.sub === undefined ? '' : `/${base.sub}`;
    const creates = ['eviction', 'binding', 'token'].includes(base.sub ?? '');
    const target = `${base.collection}${method === 'POST' && !creates ? '' : `/${base.name}${sub}`}${query}`;
    let value: JsonValue = method === 'DELETE' ? DELETE_OPTIONS : base.object;
    if (method === 'PATCH' && contentType.includes('json-patch')) value = operations;
    else if (directive !== null && contentType.includes('strategic')) value = directive;
    else for (const one of changes) value = changed(value, one);
    const bytes = whole === null ? damaged(encoded(value, contentType)) : Buffer.from(whole);
    return {
      area: `body ${method} ${contentType}`,
      method,
      target: target.replace(/\/(?=\?|$)/, ''),
      headers: contentType === '' ? {} : { 'content-type': contentType },
      body: bytes,
    };
  });
