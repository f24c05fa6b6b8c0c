/**
 * Shared by tests of apply: a definition with every merge type, and arbitrary bodies for it and for built-in kinds.
 *
 * Used by tests and by the comparison with a real server only.
 */
import { crdManifest, crdVersion } from '../crd/manifest.ts';
import * as fc from 'fast-check';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';

const STRING = { type: 'string' };
const INTEGER = { type: 'integer' };

const ITEM = {
  type: 'object',
  required: ['name'],
  properties: {
    name: STRING,
    count: { type: 'integer', default: 1 },
    note: STRING,
    tags: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
    inner: {
      type: 'array',
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: INTEGER, protocol: { type: 'string', default: 'TCP' }, value: STRING },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
  },
};

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: INTEGER,
        note: { type: 'string', nullable: true },
        flag: { type: 'boolean' },
        replicas: INTEGER,
        colour: { type: 'string', default: 'red' },
        either: { 'x-kubernetes-int-or-string': true },
        set: { type: 'array', items: STRING, 'x-kubernetes-list-type': 'set' },
        numbers: { type: 'array', items: INTEGER, 'x-kubernetes-list-type': 'set' },
        atomicList: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'atomic' },
        plainList: { type: 'array', items: STRING },
        map: { type: 'array', items: ITEM, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
        granular: { type: 'object', additionalProperties: STRING },
        atomicMap: { type: 'object', additionalProperties: STRING, 'x-kubernetes-map-type': 'atomic' },
        nested: {
          type: 'object',
          properties: { a: STRING, deep: { type: 'object', properties: { b: STRING, c: INTEGER } } },
        },
        atomicStruct: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: STRING, b: INTEGER } },
        maps: { type: 'object', additionalProperties: ITEM },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: {
      type: 'object',
      properties: {
        phase: STRING,
        replicas: INTEGER,
        conditions: {
          type: 'array',
          items: { type: 'object', required: ['type'], properties: { type: STRING, status: STRING } },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
        },
      },
    },
  },
};

/** Namespaced `things` of group `apply.example.com`, with status and scale, in versions v1 and v2. */
export const THINGS: KubeObject = crdManifest(
  'apply.example.com',
  { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
  ['v1', 'v2'].map((name) => {
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    return crdVersion(name, SCHEMA, { storage: name === 'v1', subresources: { status: {}, scale } });
  }),
);

/** A definition with an open schema: namespaced `blobs`. */
export const BLOBS: KubeObject = crdManifest(
  'apply.example.com',
  { plural: 'blobs', singular: 'blob', kind: 'Blob', listKind: 'BlobList' },
  [crdVersion('v1', { type: 'object', 'x-kubernetes-preserve-unknown-fields': true })],
);

type Body = fc.Arbitrary<JsonObject>;

function some(fields: { readonly [name: string]: fc.Arbitrary<JsonValue> }): Body {
  return fc.record(fields, { requiredKeys: [] });
}

const text = fc.constantFrom('a', 'b', 'c');
const number = fc.integer({ min: 0, max: 3 });
const texts = fc.uniqueArray(text, { maxLength: 3 });
const strings = fc.dictionary(text, text, { maxKeys: 3 });

function named(key: string, fields: { readonly [name: string]: fc.Arbitrary<JsonValue> }): fc.Arbitrary<JsonValue> {
  const item = fc.tuple(text, some(fields)).map(([name, rest]) => ({ [key]: name, ...rest }));
  return fc.uniqueArray(item, { maxLength: 3, selector: (one) => one[key] });
}

const ports = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom(80, 443, 8080), fc.option(fc.constantFrom('TCP', 'UDP'), { nil: undefined }), text)
    .map(([port, protocol, value]) => ({ port, ...(protocol === undefined ? {} : { protocol }), value })),
  { maxLength: 2, selector: (one) => `${one.port}/${one.protocol ?? 'TCP'}` },
);

const itemFields = { count: number, note: text, tags: texts, inner: ports };

const spec = some({
  size: number,
  note: fc.option(text, { nil: null }),
  flag: fc.boolean(),
  replicas: number,
  colour: text,
  either: fc.oneof(number, text),
  set: texts,
  numbers: fc.uniqueArray(number, { maxLength: 3 }),
  atomicList: named('name', { note: text }),
  plainList: fc.array(text, { maxLength: 3 }),
  map: named('name', itemFields),
  granular: strings,
  atomicMap: strings,
  nested: some({ a: text, deep: some({ b: text, c: number }) }),
  atomicStruct: some({ a: text, b: number }),
  maps: fc.dictionary(
    text,
    fc.tuple(text, some(itemFields)).map(([name, rest]) => ({ name, ...rest })),
    { maxKeys: 2 },
  ),
  free: fc.dictionary(text, fc.oneof(number, text, fc.array(text, { maxLength: 2 }), strings), { maxKeys: 3 }),
});

const metadata = some({
  labels: strings,
  annotations: strings,
  finalizers: fc.uniqueArray(fc.constantFrom('example.com/a', 'example.com/b'), { maxLength: 2 }),
  ownerReferences: fc.uniqueArray(
    text.map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `owner-${uid}`, uid })),
    { maxLength: 2, selector: (one) => one.uid },
  ),
});

const status = some({ phase: text, replicas: number, conditions: named('type', { status: text }) });

function body(apiVersion: string, kind: string, fields: { readonly [name: string]: fc.Arbitrary<JsonValue> }): Body {
  return some({ metadata, ...fields }).map((one) => ({ apiVersion, kind, ...one }));
}

/** Bodies of `things`, in either version; the caller fills in names. */
export const thingBody: Body = fc
  .constantFrom('v1', 'v1', 'v1', 'v2')
  .chain((version) => body(`apply.example.com/${version}`, 'Thing', { spec, status }));

export const blobBody: Body = body('apply.example.com/v1', 'Blob', {
  spec: fc.dictionary(text, fc.oneof(number, text, fc.array(text, { maxLength: 2 }), strings), { maxKeys: 3 }),
});

export const configMapBody: Body = body('v1', 'ConfigMap', {
  data: strings,
  binaryData: fc.dictionary(fc.constant('z'), fc.constant('YQ=='), { maxKeys: 1 }),
});

const container = fc
  .tuple(
    fc.constantFrom('c1', 'c2'),
    some({
      imagePullPolicy: fc.constantFrom('Always', 'IfNotPresent'),
      args: fc.array(text, { maxLength: 2 }),
      env: named('name', { value: text }),
      ports: fc.uniqueArray(
        fc
          .tuple(fc.constantFrom(80, 443), fc.option(fc.constantFrom('TCP', 'UDP'), { nil: undefined }))
          .map(([containerPort, protocol]) => ({ containerPort, ...(protocol === undefined ? {} : { protocol }) })),
        { maxLength: 2, selector: (one) => `${one.containerPort}/${one.protocol ?? 'TCP'}` },
      ),
      resources: some({ limits: some({ cpu: fc.constantFrom('1', '500m'), memory: fc.constantFrom('64Mi', '1Gi') }) }),
    }),
  )
  .map(([name, rest]) => ({ name, image: 'image', ...rest }));

/** Deployments that stay valid whatever patch is merged into them. */
export const deploymentBody: Body = fc
  .record({
    containers: fc.uniqueArray(container, { minLength: 1, maxLength: 2, selector: (one) => one.name }),
    pod: some({
      nodeSelector: strings,
      serviceAccountName: text,
      terminationGracePeriodSeconds: number,
      tolerations: fc.array(fc.record({ key: text, operator: fc.constant('Exists') }), { maxLength: 2 }),
    }),
    spec: some({ replicas: number, minReadySeconds: number, paused: fc.boolean() }),
    metadata,
  })
  .map(({ containers, pod, spec: more, metadata: meta }) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: meta,
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: { metadata: { labels: { app: 'x' } }, spec: { containers, ...pod } },
      ...more,
    },
  }));

export const serviceBody: Body = fc
  .record({
    ports: fc.uniqueArray(
      fc
        .tuple(fc.constantFrom(80, 443), fc.option(fc.constantFrom('TCP', 'UDP'), { nil: undefined }), text)
        .map(([port, protocol, name]) => ({
          port,
          name: `${name}${port}${(protocol ?? 'tcp').toLowerCase()}`,
          ...(protocol === undefined ? {} : { protocol }),
        })),
      { minLength: 1, maxLength: 2, selector: (one) => `${one.port}/${one.protocol ?? 'TCP'}` },
    ),
    more: some({
      selector: strings,
      externalIPs: fc.uniqueArray(fc.constantFrom('1.2.3.4', '1.2.3.5'), { maxLength: 2 }),
    }),
    metadata,
  })
  .map(({ ports: list, more, metadata: meta }) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: meta,
    spec: { ports: list, ...more },
  }));
