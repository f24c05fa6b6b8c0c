/**
 * Requests that may cost far more than their size: deep, wide, repeated, multiplied.
 *
 * Owns: arbitraries only. The requests of one {@link CostlySequence} belong together: the earlier ones prepare the last one.
 */
import { crdManifest, crdVersion } from '../../server/crd/manifest.ts';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../objects/object.ts';
import { costlyDefinitions } from './costly-definitions.ts';
import {
  BODY_BYTES_MAX,
  type CostlySequence,
  CRDS,
  JSON_TYPE,
  NAMESPACE,
  PATCH_TYPES,
  repeated,
  request,
  size,
} from './costly-parts.ts';

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, 1, 'x', true, {}, [], '1e999999999', '9'.repeat(400), 'a-'.repeat(500)),
  size.map((length) => 'x'.repeat(length)),
);

/** Lists in built-in objects: the text of the object before and after each list. */
const PLACES: readonly (readonly [path: string, before: string, after: string])[] = [
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n"},"data":{', '}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n","labels":{', '}}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n","annotations":{', '}}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n"},"unknown":{', '}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n","ownerReferences":[', ']}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n","finalizers":[', ']}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n","managedFields":[', ']}}'],
  [`${NAMESPACE}/configmaps`, '{"metadata":{"name":"n"},"unknown":[', ']}'],
  [`${NAMESPACE}/pods`, '{"metadata":{"name":"n"},"spec":{"containers":[', ']}}'],
  [`${NAMESPACE}/pods`, '{"metadata":{"name":"n"},"spec":{"volumes":[', '],"containers":[{"name":"c","image":"i"}]}}'],
  [`${NAMESPACE}/pods`, '{"metadata":{"name":"n"},"spec":{"tolerations":[', ']}}'],
  [`${NAMESPACE}/services`, '{"metadata":{"name":"n"},"spec":{"ports":[', ']}}'],
  [`${NAMESPACE}/services`, '{"metadata":{"name":"n"},"spec":{"externalIPs":[', ']}}'],
  [`${NAMESPACE}/resourcequotas`, '{"metadata":{"name":"n"},"spec":{"hard":{', '}}}'],
  [`${NAMESPACE}/events`, '{"metadata":{"name":"n"},"involvedObject":{"a":[', ']}}'],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', '{"metadata":{"name":"n"},"rules":[', ']}'],
  ['/apis/authorization.k8s.io/v1/subjectaccessreviews', '{"spec":{"user":"u","groups":[', ']}}'],
];

/** Items for the lists above; each is valid in at least one of them. */
const ITEMS: readonly ((index: number) => string)[] = [
  () => '{}',
  () => '[]',
  () => 'null',
  (at) => `"a${at}"`,
  (at) => `"a/b${at}"`,
  (at) => `{"name":"c${at}","image":"i"}`,
  () => '{"name":"c","image":"i"}',
  (at) => `{"name":"p${at}","port":${at + 1}}`,
  (at) => `{"apiVersion":"v1","kind":"X","name":"n${at}","uid":"u${at}","controller":true}`,
  (at) =>
    `{"manager":"m${at}","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${at}":{}}}}`,
  (at) => `{"x${at}":1}`,
  (at) => `{"verbs":["get"],"apiGroups":[""],"resources":["r${at}"]}`,
];
const ENTRIES: readonly ((index: number) => string)[] = [
  (at) => `"k${at}":"v"`,
  (at) => `"bad key ${at}":"v"`,
  () => '"k":"v"',
  (at) => `"requests.r${at}":"1e${at}"`,
  (at) => `"k${at}":{}`,
];

const wide = fc
  .tuple(fc.constantFrom(...PLACES), fc.constantFrom(...ITEMS), fc.constantFrom(...ENTRIES), size, fc.boolean())
  .map(([[path, before, after], item, entry, count, patched]): CostlySequence => {
    const body = before + repeated(before.endsWith('[') ? item : entry, count) + after;
    const create = request('POST', path, JSON_TYPE, body);
    if (!patched) return [create];
    const strategic = request('PATCH', `${path}/n`, 'application/strategic-merge-patch+json', body);
    return [create, strategic, request('PUT', `${path}/n`, JSON_TYPE, body)];
  });

const deep = fc
  .tuple(
    fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{a: ', '}'], ['- ', ''], ['[[],', ']'], ['{"a":{},"b":', '}']),
    fc.constantFrom(JSON_TYPE, 'application/yaml', ...PATCH_TYPES),
    size,
    fc.boolean(),
  )
  .map(([[open = '', close = ''], type, levels, closed]): CostlySequence => {
    const text = repeated(() => open, levels, '') + (closed ? `1${close.repeat(levels)}` : '');
    const patches = PATCH_TYPES.includes(type);
    const target = `${NAMESPACE}/configmaps${patches ? '/d?fieldManager=m' : ''}`;
    return [
      request('POST', `${NAMESPACE}/configmaps`, JSON_TYPE, '{"metadata":{"name":"d"}}'),
      request(patches ? 'PATCH' : 'POST', target, type, text.slice(0, BODY_BYTES_MAX)),
    ];
  });

const YAML_LINES: readonly ((index: number) => string)[] = [
  (at) => `a${at}: b`,
  () => 'a: b',
  () => '- a',
  () => '#',
  () => '---',
  () => 'a: b: c',
  (at) => `k${at}: &a${at} [*a${at - 1}, *a${at - 1}]`,
  (at) => `k${at}: {<<: *a}`,
  () => '  "\\n\\n\\n',
  () => '? a',
  () => '!!x y',
  () => "'",
];
const yamls = fc
  .tuple(fc.constantFrom(...YAML_LINES), fc.constantFrom('a: &a0 {x: 1}\n', 'a: |\n  ', ''), size)
  .map(([line, before, count]): CostlySequence => [
    request('POST', `${NAMESPACE}/configmaps`, 'application/yaml', before + repeated(line, count, '\n')),
  ]);

const OPERATIONS: readonly ((index: number) => string)[] = [
  (at) => `{"op":"copy","from":"/spec","path":"/spec/c${at}"}`,
  () => '{"op":"add","path":"/spec/l/0","value":{}}',
  (at) => `{"op":"add","path":"/spec/m/k${at}","value":[]}`,
  (at) => `{"op":"move","from":"/spec/${at % 2 === 0 ? 'l' : 'z'}","path":"/spec/${at % 2 === 0 ? 'z' : 'l'}"}`,
  () => '{"op":"test","path":"/spec/l","value":[1]}',
  (at) => `{"op":"add","path":"/spec${'/a'.repeat(at % 1500)}","value":{}}`,
  () => '{"op":"remove","path":"/spec/l/0"}',
];

const RULES: readonly string[] = [
  'true',
  'self == oldSelf',
  'self.l.all(a, self.l.all(b, a != b || a == b))',
  'self.l.map(a, self.l.map(b, b)).size() >= 0',
  "self.l.map(a, string(a)).join(',').replace('', 'xxxxxxxxxx').size() > 0",
  "self.m.all(k, k.matches('^(a?){50}$'))",
  'lists.range(1000000).size() > 0',
  'self.l.map(a, a).distinct().size() + self.l.map(a, a).sort().size() > 0',
  "self.l.map(a, self.l.map(b, 'text')).flatten().join(',').split('').size() > 0",
];

const TYPES: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'string', default: 'x'.repeat(1000) },
  { type: 'string', pattern: '^(([a-z]{0,200}x?){0,4})*$' },
  { type: 'string', enum: Array.from({ length: 2000 }, (_, at) => `e${at}`) },
  { type: 'object', default: {}, properties: { a: { type: 'string', default: 'y' } } },
  { 'x-kubernetes-int-or-string': true },
];

const LISTS: readonly JsonObject[] = [
  { 'x-kubernetes-list-type': 'set' },
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
  { 'x-kubernetes-list-type': 'atomic' },
];

let kinds = 0;

/** A CRD, an object of its kind, and a request on that object. */
const custom = fc
  .record({
    type: fc.constantFrom(...TYPES),
    list: fc.constantFrom(...LISTS),
    rule: fc.constantFrom(...RULES),
    properties: fc.integer({ min: 1, max: 300 }),
    count: size,
    other: size,
    // Without bounds the estimated cost of most rules is too high, and their definition is refused.
    bound: fc.constantFrom(undefined, 30, 1000),
    value: scalar,
    operation: fc.constantFrom(...OPERATIONS),
    act: fc.constantFrom('create', 'json', 'apply', 'table', 'openapi'),
  })
  .map(({ type, list, rule, properties, bound, value, operation, act, ...sizes }): CostlySequence => {
    const count = Math.min(sizes.count, bound ?? sizes.count);
    const other = Math.min(sizes.other, bound ?? sizes.other);
    const singular = `cost${kinds++}`;
    const kind = singular.toUpperCase();
    const path = `/apis/cost.io/v1/namespaces/default/${singular}s`;
    const keyed = list['x-kubernetes-list-type'] === 'map';
    const many = Object.fromEntries(Array.from({ length: properties }, (_, at) => [`p${at}`, type]));
    const key: JsonObject = { type: 'string', ...(bound === undefined ? {} : { maxLength: 10 }) };
    const item = keyed ? { type: 'object', required: ['k'], properties: { k: key, ...many } } : key;
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          'x-kubernetes-validations': [{ rule }],
          properties: {
            l: { type: 'array', items: item, ...list, ...(bound === undefined ? {} : { maxItems: bound }) },
            m: {
              type: 'object',
              additionalProperties: type,
              ...(bound === undefined ? {} : { maxProperties: bound }),
            },
            o: { type: 'array', items: { type: 'object', properties: many } },
          },
        },
      },
    };
    const version = crdVersion('v1', schema, {
      additionalPrinterColumns: [{ name: 'l', type: 'string', jsonPath: '.spec.l[*].k' }],
    });
    const definition = crdManifest('cost.io', { plural: `${singular}s`, singular, kind }, [version]);
    const shown = (at: number): string => (keyed ? `{"k":"k${at}"}` : `"k${at}"`);
    const text = JSON.stringify(value);
    const object = (turned: boolean): string =>
      `{"apiVersion":"cost.io/v1","kind":"${kind}","metadata":{"name":"n"},"spec":{` +
      `"l":[${repeated((at) => shown(turned ? count - at : at), count)}],` +
      `"m":{${repeated((at) => `"k${at}":${text.length > 1000 ? '"x"' : text}`, Math.min(other, 20_000))}},` +
      `"o":[${repeated(() => '{}', Math.min(other, 50_000))}]}}`;
    const made = [
      request('POST', CRDS, JSON_TYPE, JSON.stringify(definition)),
      request('POST', path, JSON_TYPE, object(false)),
    ];
    switch (act) {
      case 'create':
        return made;
      case 'json':
        return [
          ...made,
          request('PATCH', `${path}/n`, 'application/json-patch+json', `[${repeated(operation, other % 12_000)}]`),
        ];
      case 'apply':
        return [
          ...made,
          request('PATCH', `${path}/n?fieldManager=m&force=true`, 'application/apply-patch+yaml', object(true)),
        ];
      case 'table':
        return [
          ...made,
          { ...request('GET', path, ''), headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' } },
        ];
      default:
        return [...made, request('GET', '/openapi/v3/apis/cost.io/v1', '')];
    }
  });

const QUERIES: readonly ((count: number) => string)[] = [
  (count) => `labelSelector=${encodeURIComponent(repeated((at) => `a${at}=b`, count))}`,
  (count) => `labelSelector=${encodeURIComponent(`a in (${repeated((at) => `b${at}`, count)})`)}`,
  (count) => `fieldSelector=${repeated((at) => `metadata.name!=b${at}`, count)}`,
  (count) => `labelSelector=${'('.repeat(count)}`,
  (count) => `limit=${'9'.repeat(count)}&continue=${'a'.repeat(count)}`,
  (count) => repeated(() => 'a=b', count, '&'),
];
const query = fc
  .tuple(fc.constantFrom(...QUERIES), fc.integer({ min: 1, max: 100_000 }))
  .map(([make, count]): CostlySequence => [
    request('GET', `${NAMESPACE}/configmaps?${make(count)}`.slice(0, 900_000), ''),
  ]);

export const costlyRequests: fc.Arbitrary<CostlySequence> = fc.oneof(
  { weight: 3, arbitrary: wide },
  { weight: 2, arbitrary: deep },
  { weight: 2, arbitrary: yamls },
  { weight: 4, arbitrary: custom },
  { weight: 4, arbitrary: costlyDefinitions },
  { weight: 1, arbitrary: query },
);
