/** Conformance cases about what definitions of real projects bring up: rules in CEL, several versions, groups of the Kubernetes project. */
import type { JsonObject } from '../../model/object.ts';
import { at, check, same, type ConformanceCase } from './case.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Version {
  readonly name: string;
  readonly storage: boolean;
  /** Of the spec. */
  readonly properties: JsonObject;
  readonly rules?: readonly string[];
}

function gizmos(group: string, versions: readonly Version[], metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gizmos.${group}`, ...metadata },
    spec: {
      group,
      names: { plural: 'gizmos', kind: 'Gizmo' },
      scope: 'Namespaced',
      versions: versions.map(({ name, storage, properties, rules = [] }) => ({
        name,
        storage,
        served: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties,
                ...(rules.length > 0 ? { 'x-kubernetes-validations': rules.map((rule) => ({ rule })) } : {}),
              },
            },
          },
        },
      })),
    },
  };
}

function gizmo(group: string, version: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${group}/${version}`, kind: 'Gizmo', metadata: { name: 'a' }, spec };
}

const TEXT: JsonObject = { type: 'string', maxLength: 20 };

export const DEFINITION_CASES: readonly ConformanceCase[] = [
  {
    name: 'takes rules that name reserved words, compare with null, and map optionals',
    items: [125],
    run: async (t) => {
      const group = `${t.namespace}.example.com`;
      const properties = {
        namespace: TEXT,
        if: TEXT,
        name: TEXT,
        in: TEXT,
        until: { type: 'string', format: 'date-time' },
        part: { type: 'object', properties: { size: { type: 'integer' } } },
      };
      const defined = (rule: string): JsonObject =>
        gizmos(group, [{ name: 'v1', storage: true, properties, rules: [rule] }]);
      for (const rule of [
        'self.namespace == "w" && has(self.if)',
        '!has(self.__namespace__)',
        'format.dns1123Label().validate(self.name) == null',
        'null != self.part && self.until != null && quantity("1") != null && self.part == null',
        'optional.of(1) == optional.none() || self.?name == null',
        'self.?name.optMap(n, n == "x").orValue(false) || self.?part.optFlatMap(p, p.?size).hasValue()',
        'optional.ofNonZeroValue(self.name).hasValue()',
      ])
        await t.call('POST', `${CRDS}?dryRun=All`, 201, defined(rule));
      for (const rule of ['self.in == "w"', 'self.name == null', 'self.part.size == null', 'namespace == "w"'])
        await t.call('POST', `${CRDS}?dryRun=All`, { code: 422, message: 'compilation failed' }, defined(rule));
      await t.call(
        'POST',
        `${CRDS}?dryRun=All`,
        { code: 422, message: 'reserved identifier: if' },
        defined('if == "w"'),
      );
    },
  },
  {
    name: 'reads an object by the schema of the version that is stored',
    items: [121, 122, 123],
    run: async (t) => {
      const group = `${t.namespace}.example.com`;
      const path = (version: string): string => `/apis/${group}/${version}/namespaces/${t.namespace}/gizmos`;
      const v1 = { only1: TEXT, filled: { ...TEXT, default: 'v1' } };
      const v2 = { only2: TEXT, other: { ...TEXT, default: 'v2' } };
      await t.call(
        'POST',
        CRDS,
        201,
        gizmos(group, [
          { name: 'v1', storage: true, properties: v1 },
          { name: 'v2', storage: false, properties: v2 },
        ]),
      );
      await t.served(path('v2'));

      const created = await t.call('POST', path('v2'), 201, gizmo(group, 'v2', { only2: 'x' }));
      same(created['spec'], {}, 'the spec that was created');
      same((await t.call('GET', `${path('v1')}/a`, 200))['spec'], { filled: 'v1' }, 'the spec in the stored version');
      same((await t.call('GET', `${path('v2')}/a`, 200))['spec'], {}, 'the spec in the other version');
      await t.call('MERGE', `${path('v1')}/a`, 200, { spec: { only1: 'y' } });
      await t.call('MERGE', `${path('v2')}/a`, 200, { metadata: { labels: { a: 'b' } } });
      same((await t.call('GET', `${path('v1')}/a`, 200))['spec'], { filled: 'v1' }, 'the spec after a write in v2');
      await t.call('DELETE', `${CRDS}/gizmos.${group}`, 200);
    },
  },
  {
    name: 'says of a definition in a group of the Kubernetes project who approved it',
    items: [119],
    run: async (t) => {
      const group = `${t.namespace}.k8s.io`;
      const versions = [{ name: 'v1', storage: true, properties: {} }];
      await t.call('POST', CRDS, { code: 422, message: 'api-approved.kubernetes.io' }, gizmos(group, versions));
      const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
      await t.call('POST', CRDS, 201, gizmos(group, versions, { annotations }));
      let condition: JsonObject | undefined;
      for (let tries = 0; tries < 20_000 && condition === undefined; tries++) {
        const conditions = at(await t.call('GET', `${CRDS}/gizmos.${group}`, 200), 'status.conditions');
        condition = (Array.isArray(conditions) ? (conditions as readonly JsonObject[]) : []).find(
          ({ type }) => type === 'KubernetesAPIApprovalPolicyConformant',
        );
      }
      check(condition !== undefined, 'no condition about the approval');
      const { status, reason, message } = condition ?? {};
      same(
        [status, reason, message],
        ['False', 'UnapprovedAnnotation', 'not approved: "unapproved, a test"'],
        'the condition',
      );
      await t.call('DELETE', `${CRDS}/gizmos.${group}`, 200);
    },
  },
  {
    name: 'escapes keys of managed fields',
    items: [66],
    run: async (t) => {
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'a' },
        spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'A<B&C>', value: 'x' }] }] },
      };
      const applied = await t.call('APPLY', `${t.core('pods')}/a?fieldManager=m`, 201, pod);
      const fields = JSON.stringify(at(applied, 'metadata.managedFields'));
      check(fields.includes(String.raw`k:{\"name\":\"A\\u003cB\\u0026C\\u003e\"}`), `the managed fields are ${fields}`);
    },
  },
];
