/** Conformance cases from CRDs of real projects: CEL rules, several versions, groups of the Kubernetes project. */
import { crdManifest, crdVersion } from '../../server/crd/manifest.ts';
import type { JsonObject } from '../../objects/object.ts';
import { at, check, same, type ConformanceCase } from './case.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Version {
  readonly name: string;
  readonly storage: boolean;
  /** The properties of the spec. */
  readonly properties: JsonObject;
  readonly rules?: readonly string[];
}

function gizmos(group: string, versions: readonly Version[], metadata: JsonObject = {}): JsonObject {
  const all = versions.map(({ name, storage, properties, rules = [] }) => {
    const ruled = rules.length > 0 ? { 'x-kubernetes-validations': rules.map((rule) => ({ rule })) } : {};
    const spec = { type: 'object', properties, ...ruled };
    return crdVersion(name, { type: 'object', properties: { spec } }, { storage });
  });
  const manifest = crdManifest(group, { plural: 'gizmos', kind: 'Gizmo' }, all);
  return { ...manifest, metadata: { ...manifest.metadata, ...metadata } };
}

function gizmo(group: string, version: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${group}/${version}`, kind: 'Gizmo', metadata: { name: 'a' }, spec };
}

const TEXT: JsonObject = { type: 'string', maxLength: 20 };

/** Returns a definition with a list of up to `maxItems` texts. Each rule has an estimated cost of five units per item. */
function costing(group: string, maxItems: number, rules: number): JsonObject {
  const items: JsonObject = {
    type: 'string',
    maxLength: 10,
    'x-kubernetes-validations': Array.from({ length: rules }, () => ({ rule: 'self.contains("ab")' })),
  };
  return gizmos(group, [{ name: 'v1', storage: true, properties: { words: { type: 'array', maxItems, items } } }]);
}

export const DEFINITION_CASES: readonly ConformanceCase[] = [
  {
    name: 'refuses rules whose cost estimate from the schema exceeds the limit',
    items: [125],
    run: async (t) => {
      const group = `${t.namespace}.example.com`;
      const dryRun = `${CRDS}?dryRun=All`;
      const refused = async (body: JsonObject, ...messages: readonly string[]): Promise<void> => {
        for (const message of messages) await t.call('POST', dryRun, `422 Invalid: ${message}`, body);
      };
      const advice =
        '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
      const budget = (what: string, factor: string): string =>
        `Forbidden: ${what} exceeds budget by factor of ${factor} ${advice}`;

      await t.call('POST', dryRun, 201, costing(group, 2_000_000, 10));
      for (const [maxItems, factor] of [
        [2_000_001, '1.000001x'],
        [2_100_000, '1.050000x'],
        [3_000_000, '1.5x'],
        [4_500_000, '2.2x'],
        [200_000_000, '100.0x'],
        [200_000_001, 'more than 100x'],
      ] as const)
        await refused(costing(group, maxItems, 1), budget('estimated rule cost', factor));
      const at = 'spec.validation.openAPIV3Schema';
      const rule = (index: number): string =>
        `${at}.properties[spec].properties[words].items.x-kubernetes-validations[${index}].rule`;
      const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
      await refused(
        costing(group, 2_000_000, 11),
        [
          ...[0, 1, 2, 3].map((index) => `${rule(index)}: Forbidden: ${contributed}, `),
          `${at}: ${budget('x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema', '1.100000x')}]`,
        ].join(''),
      );

      const words: JsonObject = { type: 'array', items: { type: 'string' } };
      const ruled = (...rules: readonly JsonObject[]): JsonObject =>
        gizmos(group, [
          {
            name: 'v1',
            storage: true,
            properties: { in: { type: 'object', properties: { words }, 'x-kubernetes-validations': rules } },
          },
        ]);
      await refused(
        ruled({ rule: 'self.words.all(x, self.words.exists(y, x == y))' }),
        budget('estimated rule cost', 'more than 100x'),
      );
      await refused(
        ruled({ rule: 'self.words.size() < 10', messageExpression: '"not " + self.words.join(" ")' }),
        budget('estimated messageExpression cost', 'more than 100x'),
      );
    },
  },
  {
    name: 'accepts rules that use reserved words, compare with null, and map optionals',
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
        await t.call('POST', `${CRDS}?dryRun=All`, '422: compilation failed', defined(rule));
      await t.call('POST', `${CRDS}?dryRun=All`, '422: reserved identifier: if', defined('if == "w"'));
    },
  },
  {
    name: 'reads an object by the schema of its stored version',
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
    name: 'sets the approval condition of a definition in a protected group',
    items: [119],
    run: async (t) => {
      const group = `${t.namespace}.k8s.io`;
      const versions = [{ name: 'v1', storage: true, properties: {} }];
      await t.call('POST', CRDS, '422: api-approved.kubernetes.io', gizmos(group, versions));
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
