/** Requests that cost far more than their size: each is answered quickly and with little memory. */
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { CONFIGMAPS_PATH } from '../testing.ts';
import {
  APPLY,
  CRDS,
  define,
  FREE,
  JSON_PATCH,
  JSON_TYPE,
  map,
  MERGE_PATCH,
  nested,
  PODS,
  send,
  STRATEGIC,
  TEMPLATES,
  times,
  useServer,
  YAML,
} from './bounds-testing.ts';

const QUOTAS = '/api/v1/namespaces/default/resourcequotas';

useServer();

it.each([
  ['JSON lists', JSON_TYPE, nested(20_000, '[', ']')],
  ['JSON maps', JSON_TYPE, nested(20_000, '{"a":', '}')],
  ['1,001 JSON maps', JSON_TYPE, nested(1001, '{"a":', '}')],
  ['YAML flow lists', YAML, nested(20_000, '[', ']')],
  ['YAML flow maps', YAML, nested(20_000, '{a: ', '}')],
  ['YAML block lists', YAML, `${'- '.repeat(20_000)}a`],
])('refuses 20,000 levels of %s as 400', async (_, type, body) => {
  expect(await send('POST', CONFIGMAPS_PATH, type, body)).toMatchObject({ code: 400 });
});

it.each([MERGE_PATCH, STRATEGIC, APPLY])('refuses a deep %s as 400', async (type) => {
  const name = `deep${MERGE_PATCH.length}`;
  await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name } });

  const answer = await send('PATCH', `${CONFIGMAPS_PATH}/${name}?fieldManager=m`, type, nested(9000, '{"a":', '}'));

  expect(answer).toMatchObject({ code: 400 });
});

it('refuses a JSON patch whose operations build a deep object as 400', async () => {
  const { path, head } = await define(FREE);
  await send('POST', path, JSON_TYPE, { ...head, spec: {} });
  const operations = times(1100, (index) => ({ op: 'add', path: `/spec${'/a'.repeat(index + 1)}`, value: {} }));

  expect(await send('PATCH', `${path}/one`, JSON_PATCH, operations)).toMatchObject({
    code: 400,
    message: 'the patched object nests deeper than 1000 levels',
  });
});

it.each([
  ['list items', `a:\n${'- a\n'.repeat(700_000)}`],
  ['keys', times(250_000, (index) => `a${index}: b`).join('\n')],
  ['comments', '#\n'.repeat(1_500_000)],
  ['brackets', '['.repeat(1_000_000)],
  ['texts behind the document', "'\n".repeat(1_500_000)],
])('refuses YAML of very many %s as 400', async (_, body) => {
  expect(await send('POST', CONFIGMAPS_PATH, YAML, body)).toMatchObject({ code: 400 });
});

it('accepts YAML with many keys', async () => {
  const data = times(20_000, (index) => `  a${index}: b`).join('\n');
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: keys\ndata:\n${data}`;

  expect(await send('POST', CONFIGMAPS_PATH, YAML, text)).toMatchObject({ code: 201 });
});

it('reads only the first document of YAML, however many follow', async () => {
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: first\n${'---\na: 1\n'.repeat(300_000)}`;

  expect(await send('POST', CONFIGMAPS_PATH, YAML, text)).toMatchObject({ code: 201 });
});

it('truncates warnings as kube-apiserver does', async () => {
  const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: warned\n${'a: b\n'.repeat(20_000)}`;

  const { code, headers } = await send('POST', CONFIGMAPS_PATH, YAML, text);

  expect(code).toBe(201);
  expect(headers.get('warning')?.length).toBeLessThan(5000);
});

it('reports at most a hundred unknown fields', async () => {
  const object = { metadata: { name: 'unknown' }, ...map(140_000, (index) => [`key${index}`, 1]) };

  const { code, message } = await send('POST', `${CONFIGMAPS_PATH}?fieldValidation=Strict`, JSON_TYPE, object);

  expect(code).toBe(400);
  expect(message.match(/unknown field/g)).toHaveLength(100);
});

it.each([
  ['containers that defaults make large', PODS, { containers: times(200_000, () => ({})) }],
  ['a long value', TEMPLATES, { containers: [{ name: 'c', image: 'x'.repeat(2_000_000) }] }],
])('refuses %s as etcd does', async (_, path, spec) => {
  const object = path === PODS ? { spec } : { template: { spec } };

  expect(await send('POST', path, JSON_TYPE, { metadata: { name: 'large' }, ...object })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it.each([
  ['long', (index: number) => [`p${index}`, { type: 'string', default: 'x'.repeat(1000) }] as const],
  ['many', (index: number) => [`p${index}`, { type: 'object', default: {}, properties: {} }] as const],
])('refuses defaults that multiply, as etcd does: %s ones', async (_, property) => {
  const items = { type: 'object', properties: map(500, property) };
  const { path, head } = await define({ type: 'array', items });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: times(50_000, () => ({})) })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it('validates defaults inside of defaults once', async () => {
  let schema: JsonObject = { type: 'string', default: 'a' };
  const text = { type: 'string', default: 'x' };
  for (let level = 0; level < 150; level++)
    schema = { type: 'object', default: {}, properties: { a: schema, ...map(100, (at) => [`b${at}`, text]) } };

  const { path } = await define(schema);

  expect(path).toContain('bounds.io');
});

it('finds the fields of very many rules in constant time each', async () => {
  const { path } = await define({
    type: 'object',
    properties: map(10_000, (at) => [`p${at}`, { type: 'string' }]),
    'x-kubernetes-validations': times(5000, () => ({ rule: 'true', fieldPath: '.p1' })),
  });

  expect(path).toContain('bounds.io');
});

it('shows at most a mebibyte of errors', async () => {
  const labels = map(60_000, (index) => [`bad key ${index}`, 'v']);

  const { code, message } = await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name: 'bad', labels } });

  expect(code).toBe(422);
  expect(message).toContain('metadata.labels');
});

it('walks very many owners once', async () => {
  const ownerReferences = times(15_000, (at) => ({ apiVersion: 'v1', kind: 'X', name: `n${at}`, uid: `u${at}` }));
  const metadata = { name: 'owned', ownerReferences };

  expect(await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata })).toMatchObject({ code: 201 });
});

it('walks very many entries of managedFields once', async () => {
  const managedFields = times(8000, (at) => ({
    manager: `m${at}`,
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    time: '2020-01-01T00:00:00Z',
    fieldsV1: { 'f:data': { [`f:k${at}`]: {} } },
  }));

  const answer = await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name: 'managed', managedFields } });

  expect(answer).toMatchObject({ code: 201 });
});

it.each<readonly [string, JsonValue, (at: number) => JsonObject]>([
  ['a long list', times(200_000, () => 1), () => ({ op: 'add', path: '/spec/l/0', value: 1 })],
  ['a large map', map(50_000, (at) => [`k${at}`, 'v']), () => ({ op: 'add', path: '/spec/l/z', value: 1 })],
  ['its own copies', {}, (at: number) => ({ op: 'copy', from: '/metadata/name', path: `/spec/l/a${at}` })],
])('applies ten thousand operations on %s', async (_, l, operation) => {
  const { path, head } = await define(FREE);
  await send('POST', path, JSON_TYPE, { ...head, spec: { l } });

  expect(await send('PATCH', `${path}/one`, JSON_PATCH, times(10_000, operation))).toMatchObject({ code: 200 });
});

it('refuses ten thousand and one operations as 413', async () => {
  const { path, head } = await define(FREE);
  await send('POST', path, JSON_TYPE, head);
  const operations = times(10_001, () => ({ op: 'add', path: '/spec', value: {} }));

  expect(await send('PATCH', `${path}/one`, JSON_PATCH, operations)).toMatchObject({ code: 413 });
});

it('merges very many items strategically', async () => {
  const containers = (image: string, from: number): readonly JsonObject[] =>
    times(10_000, (at) => ({ name: `c${Math.abs(from - at)}`, image }));
  const spec = { containers: containers('a', 0) };
  await send('POST', TEMPLATES, JSON_TYPE, { metadata: { name: 'merged' }, template: { spec } });
  const order = containers('', 9999).map(({ name }) => ({ name: name ?? '' }));
  const patch = { containers: containers('b', 9999), '$setElementOrder/containers': order };

  const answer = await send('PATCH', `${TEMPLATES}/merged`, STRATEGIC, { template: { spec: patch } });

  expect(answer).toMatchObject({ code: 200 });
});

it.each([
  ['map', { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }],
  ['set', { 'x-kubernetes-list-type': 'set' }],
])('applies very many items of a list %s', async (kind, listType) => {
  const keyed = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } };
  const items = kind === 'map' ? keyed : { type: 'string' };
  const { path, head } = await define({ type: 'array', items, ...listType });
  const config = (v: string, from: number): JsonObject => ({
    ...head,
    spec: times(8000, (at) => (kind === 'map' ? { k: `k${Math.abs(from - at)}`, v } : `k${Math.abs(from - at)}`)),
  });

  const first = await send('PATCH', `${path}/one?fieldManager=a`, APPLY, config('1', 0));
  const second = await send('PATCH', `${path}/one?fieldManager=b&force=true`, APPLY, config('2', 7999));
  const third = await send('PUT', `${path}/one`, JSON_TYPE, config('3', 0));

  expect([first.code, second.code, third.code]).toEqual([201, 200, 422]);
});

it('compares the maps of a list set', async () => {
  const items = { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: { type: 'string' } } };
  const { path, head } = await define({ type: 'array', 'x-kubernetes-list-type': 'set', items });

  const answer = await send('POST', path, JSON_TYPE, { ...head, spec: times(40_000, (at) => ({ a: `k${at}` })) });

  expect(answer).toMatchObject({ code: 201 });
});

it('validates many items against a long enumeration', async () => {
  const { path, head } = await define({
    type: 'array',
    items: { type: 'string', enum: times(20_000, (at) => `e${at}`) },
  });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: times(20_000, () => 'other') })).toMatchObject({
    code: 422,
  });
});

it.each([
  [
    'one call',
    { type: 'array', items: { type: 'integer' }, maxItems: 1000 },
    'self.all(a, self.all(b, a >= 0 || b >= 0))',
    times(1000, (at) => at),
    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ",
  ],
  [
    'a text',
    { type: 'string' },
    "self.replace('', self).size() > 0",
    'ab'.repeat(20_000),
    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ",
  ],
])('stops a rule that exceeds its budget by %s, as kube-apiserver does', async (_, schema, rule, spec, expected) => {
  const { path, head } = await define({ ...schema, 'x-kubernetes-validations': [{ rule }] });

  const { code, message } = await send('POST', path, JSON_TYPE, { ...head, spec });

  expect({ code, message }).toEqual({ code: 422, message: expect.stringContaining(expected + rule) });
});

it('stops rules that exceed their budget together, as kube-apiserver does', async () => {
  const rule = { rule: '[0,1,2,3,4,5,6,7,8,9].all(a, [0,1,2,3,4,5,6,7,8,9].all(b, self + a + b >= 0))' };
  const items = { type: 'integer', 'x-kubernetes-validations': times(8, () => rule) };
  const { path, head } = await define({ type: 'array', items, maxItems: 5000 });

  const { code, message } = await send('POST', path, JSON_TYPE, { ...head, spec: times(5000, (at) => at) });

  expect({ code, message }).toEqual({
    code: 422,
    message: expect.stringContaining(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    ),
  });
});

let quantities = 0;

it.each(['1e999999999', '1e-999999999', '1e9223372036854775807', '1e1000000', `1${'0'.repeat(400_000)}e1`])(
  'reads the quantity %.30s without writing it out',
  async (quantity) => {
    const resources = { limits: { cpu: quantity }, requests: { cpu: quantity } };
    const spec = { containers: [{ name: 'c', image: 'i', resources }] };
    const object = { metadata: { name: `q${quantities++}` }, spec };

    expect(await send('POST', PODS, JSON_TYPE, object)).toMatchObject({ code: 201 });
  },
);

it.each([
  "quantity('1e999999999').isGreaterThan(quantity('0'))",
  "quantity('1e-999999999').isGreaterThan(quantity('0'))",
])('evaluates %s', async (rule) => {
  const { path, head } = await define({ type: 'string', 'x-kubernetes-validations': [{ rule }] });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: 'x' })).toMatchObject({ code: 201 });
});

it('builds no list of nine million numbers', async () => {
  const rule = 'lists.range(9000000).size() > 0';
  const { path, head } = await define({ type: 'string', 'x-kubernetes-validations': [{ rule }] });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: 'x' })).toMatchObject({ code: 422 });
});

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** A protobuf field that contains `bytes`. */
function field(id: number, bytes: Buffer | string): Buffer {
  const length: number[] = [];
  for (let rest = bytes.length; ; rest >>>= 7) {
    if (rest < 128) {
      length.push(rest);
      break;
    }
    length.push((rest & 127) | 128);
  }
  return Buffer.concat([
    Buffer.from([...(id < 16 ? [id * 8 + 2] : [((id * 8 + 2) & 127) | 128, id >> 4]), ...length]),
    Buffer.from(bytes),
  ]);
}

function message(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const type = field(1, Buffer.concat([field(1, apiVersion), field(2, kind)]));
  return Buffer.concat([Buffer.from('k8s\0'), type, field(2, raw)]);
}

it('refuses a quarter of a million protobuf messages as 400', async () => {
  const containers = Buffer.alloc(3_000_000, Buffer.from([0x12, 0]));
  const body = message('v1', 'Pod', field(2, containers));

  expect(await send('POST', PODS, PROTOBUF, body)).toMatchObject({
    code: 400,
    message: expect.stringContaining('proto: more than 250000 messages'),
  });
});

it('refuses deep protobuf as 400', async () => {
  let schema: Buffer = field(5, 'object');
  for (let level = 0; level < 2000; level++) schema = field(28, schema);
  const version = Buffer.concat([field(1, 'v1'), field(4, field(1, schema))]);
  const definition = Buffer.concat([field(1, field(1, 'a')), field(2, field(7, version))]);
  const body = message('apiextensions.k8s.io/v1', 'CustomResourceDefinition', definition);

  expect(await send('POST', CRDS, PROTOBUF, body)).toMatchObject({
    code: 400,
    message: expect.stringContaining('proto: message nested too deeply'),
  });
});

it('refuses a merge whose result could not be stored', async () => {
  const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' } } };
  const list = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
  const { path, head } = await define({ type: 'array', items, ...list });
  const config = { ...head, spec: times(200_000, (at) => ({ k: `k${at}` })) };

  expect(await send('PATCH', `${path}/one?fieldManager=a`, APPLY, config)).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it('lists at most ten thousand values that do not fit an apply', async () => {
  const { path, head } = await define({ type: 'object', additionalProperties: { type: 'string' } });
  const spec = map(90_000, (index) => [`k${index}`, index]);

  const { code, length } = await send('PATCH', `${path}/one?fieldManager=m`, APPLY, { ...head, spec });

  expect(code).toBe(500);
  expect(length).toBeLessThan(3_000_000);
});

it("refuses an apply whose owners exceed etcd's limit", async () => {
  const list = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
  const { path, head } = await define({ type: 'object', properties: { list } });
  const spec = { list: times(140_000, (index) => `v${index}`) };

  expect(await send('PATCH', `${path}/one?fieldManager=m`, APPLY, { ...head, spec })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it("refuses binary data beyond etcd's limit", async () => {
  const apply = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'binary' } };
  const binaryData = map(140_000, (index) => [`key-${index}`, 'aa==']);

  expect(
    await send('PATCH', `${CONFIGMAPS_PATH}/binary?fieldManager=m`, APPLY, { ...apply, binaryData }),
  ).toMatchObject({ code: 500, message: 'etcdserver: request is too large' });
});

it('stores an object without owners when it is too large with them, as kube-apiserver does', async () => {
  const { path, head } = await define({ type: 'object', additionalProperties: { type: 'string' } });
  const spec = map(70_000, (index) => [`key-${index}`, 'v']);

  const made = await send('POST', path, JSON_TYPE, { ...head, spec });

  expect(made).toMatchObject({ code: 201 });
  expect(made.body).not.toHaveProperty('metadata.managedFields');
});

it('validates a long text against a thousand enumerations', async () => {
  const { path, head } = await define({
    type: 'string',
    allOf: times(1000, (index) => ({ oneOf: [{ enum: [`e${index}`] }] })),
  });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: 'x'.repeat(1_400_000) })).toMatchObject({ code: 422 });
});

it('refuses a quota of very many resources as etcd does', async () => {
  const hard = map(110_000, (index) => [`requests.r${index}`, `1e${index}`]);

  expect(await send('POST', QUOTAS, JSON_TYPE, { metadata: { name: 'many' }, spec: { hard } })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});
