import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { fieldErrorBody } from '../refusal.ts';
import { defaultedCrd, validateCrd } from './validate.ts';
import { initialStatus } from './status.ts';

interface Parts {
  readonly schema?: JsonObject;
  readonly version?: JsonObject;
  readonly spec?: JsonObject;
  readonly metadata?: JsonObject;
}

function definition({ schema = { type: 'object' }, version = {}, spec = {}, metadata = {} }: Parts): KubeObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gizmos.example.com', ...metadata },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gizmos', kind: 'Gizmo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

/** Returns `field: message` for each error in a definition. */
function errors(parts: Parts, old?: KubeObject): readonly string[] {
  const crd = initialStatus(defaultedCrd(definition(parts), undefined));
  const kept = old === undefined ? crd : defaultedCrd({ ...crd, status: old['status'] }, old);
  return validateCrd(kept, old).map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

const SPEC = 'spec.validation.openAPIV3Schema.properties[spec]';

describe('cost limits of rules (125)', () => {
  /** A list whose rule costs five units per item. */
  const costing = (maxItems: number | undefined, rules: readonly JsonObject[]): JsonObject => ({
    type: 'object',
    properties: {
      spec: {
        type: 'array',
        ...(maxItems === undefined ? {} : { maxItems }),
        items: { type: 'string', maxLength: 10, 'x-kubernetes-validations': rules },
      },
    },
  });
  const RULE: JsonObject = { rule: 'self.contains("ab")' };
  const budget = (what: string, factor: string): string =>
    `Forbidden: ${what} exceeds budget by factor of ${factor} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;

  it.each([
    [2_000_001, '1.000001x'],
    [2_900_000, '1.450000x'],
    [3_000_000, '1.5x'],
    [4_500_000, '2.2x'],
    [4_700_000, '2.4x'],
    [200_000_000, '100.0x'],
  ])('refuses a rule on %d items', (maxItems, factor) => {
    expect(errors({ schema: costing(maxItems, [RULE]) })[0]).toBe(
      `${SPEC}.items.x-kubernetes-validations[0].rule: ${budget('estimated rule cost', factor)}`,
    );
  });

  it.each([2_000_000, undefined])('accepts a rule on %d items', (maxItems) => {
    expect(errors({ schema: costing(maxItems, [RULE]) })).toEqual([]);
  });

  it('adds up all rules of a schema, and lists the four most expensive', () => {
    const rules = [{ rule: 'true' }, ...Array.from({ length: 11 }, () => RULE)];

    const contributed = [1, 2, 3, 4].map(
      (index) =>
        `${SPEC}.items.x-kubernetes-validations[${index}].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
    );
    expect(errors({ schema: costing(2_000_000, rules) })).toEqual([
      ...contributed,
      `spec.validation.openAPIV3Schema: ${budget('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', '1.100000x')}`,
    ]);
  });

  it('counts a message once, wherever its rule is', () => {
    const message = (expression: string): JsonObject =>
      costing(2_000_000, [{ ...RULE, messageExpression: expression }]);

    expect(errors({ schema: message('self + self') })).toEqual([]);
    expect(errors({ schema: message('["a"].join(self)') })[0]).toBe(
      `${SPEC}.items.x-kubernetes-validations[0].messageExpression: ${budget('estimated messageExpression cost', 'more than 100x')}`,
    );
  });

  it('accepts stored definitions from before the limits', () => {
    const schema = costing(4_500_000, [RULE]);
    const old = initialStatus(defaultedCrd(definition({ schema }), undefined));

    expect(errors({ schema }, old)).toEqual([]);
    expect(errors({ schema: { ...schema, description: 'changed' } }, old)).toHaveLength(1);
  });
});

describe('schemas of definitions (119)', () => {
  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['a missing type', {}, [`${SPEC}.type: Required value: must not be empty for specified object fields`]],
    ['a list without items', { type: 'array' }, [`${SPEC}.items: Required value: must be specified`]],
    [
      'properties beside additionalProperties',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      [`${SPEC}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
    ],
    [
      'types inside anyOf',
      { type: 'string', anyOf: [{ type: 'string' }] },
      [`${SPEC}.anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'patterns that Go refuses',
      { type: 'string', pattern: '^(?=a)$' },
      [
        `${SPEC}.pattern: Invalid value: "^(?=a)$": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
      ],
    ],
    ['patterns that only Go reads', { type: 'string', pattern: String.raw`(?U)^C:\\zip\z` }, []],
    [
      'the pattern of int-or-string',
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      [],
    ],
    [
      'list maps whose keys may be missing',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' } } },
      },
      [
        `${SPEC}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
      ],
    ],
    [
      'defaults that break the schema',
      { type: 'integer', default: 'x' },
      [`${SPEC}.default: Invalid value: "string":  in body must be of type integer: "string"`],
    ],
    [
      'defaults with unknown fields',
      { type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } },
      [`${SPEC}.default: Invalid value: {"b":1}: must not have unknown fields`],
    ],
    [
      'rules that do not compile (125)',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'self.nope == 1' }] },
      [
        `${SPEC}.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.nope == 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^`,
      ],
    ],
    [
      'rules about the past of list items',
      {
        type: 'array',
        maxItems: 10,
        items: { type: 'string', maxLength: 10, 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
      [
        `${SPEC}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${SPEC}`,
      ],
    ],
  ])('validates %s', (_title, spec, expected) => {
    expect(errors({ schema: { type: 'object', properties: { spec } } })).toEqual(expected);
  });

  it('allows only names under metadata, and a root that is an object', () => {
    expect(errors({ schema: { type: 'array', items: { type: 'string' } } })).toEqual([
      'spec.validation.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ]);
    expect(
      errors({
        schema: {
          type: 'object',
          properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
        },
      }),
    ).toEqual([
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ]);
  });

  it('names the version when schemas differ', () => {
    const versions = ['v1', 'v2'].map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: index === 0 ? { type: 'object' } : { type: 'objekt' } },
    }));

    expect(errors({ spec: { versions } })).toContain(
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "objekt": must be object at the root',
    );
  });
});

describe('definitions (117, 119)', () => {
  it('requires a name of plural and group, a group with a dot, one storage version', () => {
    expect(errors({ metadata: { name: 'foo' } })).toEqual([
      'metadata.name: Invalid value: "foo": must be spec.names.plural+"."+spec.group',
    ]);
    expect(errors({ version: { storage: false } })[0]).toContain(
      'must have exactly one version marked as storage version',
    );
  });

  it('validates columns, scale paths and selectable fields (127)', () => {
    expect(
      errors({
        version: {
          additionalPrinterColumns: [{ name: 'a', type: 'foo', jsonPath: 'x' }],
          subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.y' } },
          selectableFields: [{ jsonPath: '.metadata.name' }],
        },
      }),
    ).toEqual([
      'spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec',
      'spec.additionalPrinterColumns[0].type: Invalid value: "foo": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
      'spec.selectableFields[0].jsonPath: Invalid value: ".metadata.name": is an invalid path: does not refer to a valid field',
    ]);
  });

  it('keeps scope, kind, group and plural of an established definition, and its stored versions', () => {
    const old: KubeObject = {
      ...defaultedCrd(definition({}), undefined),
      status: { storedVersions: ['v1'], conditions: [{ type: 'Established', status: 'True' }] },
    };

    expect(errors({ spec: { scope: 'Cluster' } }, old)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ]);
    expect(errors({ version: { name: 'v2' } }, old)).toEqual([
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
    ]);
  });

  it('fills in the port of a conversion webhook behind a service', () => {
    const service = { namespace: 'system', name: 'hook' };
    const conversion = {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { service } },
    };

    const { spec } = defaultedCrd(definition({ spec: { conversion } }), undefined);

    expect(spec).toHaveProperty(['conversion', 'webhook', 'clientConfig', 'service', 'port'], 443);
  });

  it('requires approval of protected groups', () => {
    const group = { metadata: { name: 'gizmos.foo.k8s.io' }, spec: { group: 'foo.k8s.io' } };

    expect(errors(group)[0]).toContain('protected groups must have approval annotation');
    expect(
      errors({
        ...group,
        metadata: { ...group.metadata, annotations: { 'api-approved.kubernetes.io': 'unapproved, test' } },
      }),
    ).toEqual([]);
  });
});
