/** The custom resources of the comparison: with and without subresources, two versions, both scopes, all list types. */
import { crdManifest, crdVersion } from '../../server/crd/manifest.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';

export const GROUP = 'diff.example.com';

const PREFIX_SCHEMA: JsonObject = { type: 'string', maxLength: 20, pattern: '^[a-z]*$' };

const SPEC: JsonObject = {
  type: 'object',
  properties: {
    size: { type: 'integer', minimum: 0, maximum: 100 },
    replicas: { type: 'integer', format: 'int32' },
    colour: { type: 'string', enum: ['red', 'blue'], default: 'red' },
    note: { type: 'string', nullable: true, maxLength: 10 },
    word: PREFIX_SCHEMA,
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    parts: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    },
    tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    plainList: { type: 'array', maxItems: 3, items: { type: 'integer' } },
    port: { 'x-kubernetes-int-or-string': true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    atomicMap: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
  },
};

const STATUS: JsonObject = {
  type: 'object',
  properties: {
    phase: { type: 'string' },
    replicas: { type: 'integer' },
    selector: { type: 'string' },
    conditions: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'status'],
        properties: { type: { type: 'string' }, status: { type: 'string' } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    },
  },
};

interface Definition {
  readonly plural: string;
  readonly kind: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly schema: JsonObject;
  readonly subresources?: JsonObject;
  readonly versions?: readonly string[];
}

function definition({
  plural,
  kind,
  scope = 'Namespaced',
  schema,
  subresources,
  versions = ['v1'],
}: Definition): KubeObject {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  const more = {
    ...(subresources === undefined ? {} : { subresources }),
    ...(plural === 'widgets' ? { selectableFields: [{ jsonPath: '.spec.colour' }] } : {}),
  };
  const all = versions.map((name, index) => crdVersion(name, schema, { storage: index === 0, ...more }));
  return crdManifest(GROUP, names, all, { scope });
}

const OBJECT_SCHEMA: JsonObject = { type: 'object', properties: { spec: SPEC, status: STATUS } };

export const CRDS: readonly KubeObject[] = [
  definition({
    plural: 'widgets',
    kind: 'Widget',
    schema: OBJECT_SCHEMA,
    versions: ['v1', 'v1beta1'],
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
  }),
  definition({ plural: 'plains', kind: 'Plain', schema: OBJECT_SCHEMA }),
  definition({
    plural: 'frees',
    kind: 'Free',
    schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    subresources: { status: {} },
  }),
  definition({
    plural: 'globals',
    kind: 'Global',
    scope: 'Cluster',
    schema: OBJECT_SCHEMA,
    subresources: { status: {} },
  }),
  definition({
    plural: 'ruleds',
    kind: 'Ruled',
    schema: {
      type: 'object',
      required: ['spec'],
      properties: {
        spec: {
          type: 'object',
          required: ['min', 'max'],
          properties: {
            min: { type: 'integer' },
            max: { type: 'integer' },
            fixed: {
              type: 'string',
              'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed may not change' }],
            },
          },
          'x-kubernetes-validations': [{ rule: 'self.min <= self.max', message: 'min may not exceed max' }],
        },
      },
    },
  }),
];
