/** Refusals of built-in kinds, with the messages of a real server; each was compared with version 1.36. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../objects/object.ts';
import { MERGE, testServer } from '../../testing.ts';

const CORE = '/api/v1/namespaces/default';
const APPS = '/apis/apps/v1/namespaces/default';
const CONTAINERS = [{ name: 'c', image: 'i' }];

/** Returns `field: message` for each error of a new object, without the explanations of name formats. */
function refusals(path: string, object: JsonObject): readonly string[] {
  const { code, object: status } = testServer().request('POST', path, object);
  expect([201, 422]).toContain(code);
  const { causes = [] } = (status['details'] ?? {}) as { causes?: readonly { field: string; message: string }[] };
  return causes.map(
    ({ field, message }) => `${field}: ${message.replace(/(must|part) (a lowercase|consist).*/s, '$1 …')}`,
  );
}

const pod = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: CONTAINERS, ...spec },
});

const service = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', ...metadata },
  spec: { ports: [{ port: 80 }], ...spec },
});

const workload = (kind: string): JsonObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'w' },
  spec: {
    ...(kind === 'StatefulSet' ? { serviceName: 's' } : {}),
    selector: { matchExpressions: [{ key: 'a', operator: 'Foo', values: [] }] },
    template: { metadata: { labels: { a: '$N' } }, spec: { containers: CONTAINERS } },
  },
});

describe('node affinity of a pod', () => {
  const required = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  const asking = (term: JsonObject): JsonObject =>
    pod({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
    });

  it.each<[JsonObject, readonly string[]]>([
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }, []],
    [
      { matchExpressions: [{ key: 'a', operator: 'In' }] },
      [
        `${required}[0].matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      ],
    ],
    [
      { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1', '2'] }] },
      [
        `${required}[0].matchExpressions[0].values: Required value: must be specified single value when \`operator\` is 'Lt' or 'Gt'`,
      ],
    ],
    [
      { matchFields: [{ key: 'x', operator: 'Exists' }] },
      [
        `${required}[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator`,
        `${required}[0].matchFields[0].key: Invalid value: "x": not a valid field selector key`,
      ],
    ],
  ])('are validated: %j', (term, expected) => {
    expect(refusals(`${CORE}/pods`, asking(term))).toEqual(expected);
  });

  it('may be preferred with a weight', () => {
    const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }] };

    expect(refusals(`${CORE}/pods`, pod({ affinity: { nodeAffinity: preferred } }))).toEqual([
      'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid value: 101: must be in the range 1-100',
    ]);
  });
});

describe('the security context of a container', () => {
  const doing = (securityContext: JsonObject, more: JsonObject = {}): JsonObject =>
    pod({ containers: [{ name: 'c', image: 'i', securityContext }], ...more });

  it('does not contradict itself', () => {
    const [refusal] = refusals(`${CORE}/pods`, doing({ privileged: true, allowPrivilegeEscalation: false }));

    expect(refusal).toMatch(
      /^spec\.containers\[0\]\.securityContext: Invalid value: \{"Capabilities":null,"Privileged":true,.*: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
    );
  });

  it('allows procMount Unmasked only without host users', () => {
    const unmasked = { procMount: 'Unmasked' };

    expect(refusals(`${CORE}/pods`, doing(unmasked))).toEqual([
      'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
    ]);
    expect(refusals(`${CORE}/pods`, doing(unmasked, { hostUsers: false }))).toEqual([]);
  });

  it('requires a valid user id', () => {
    expect(refusals(`${CORE}/pods`, doing({ runAsUser: -1 }))).toEqual([
      'spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive',
    ]);
  });
});

describe('an invalid selector', () => {
  const operator = 'spec.selector.matchExpressions[0].operator: Invalid value: "Foo": not a valid selector operator';

  it.each([
    ['Deployment', 'deployments', ': invalid label selector'],
    ['ReplicaSet', 'replicasets', ': invalid label selector'],
    ['StatefulSet', 'statefulsets', ''],
  ])('skips validation of the template of a %s', (kind, plural, why) => {
    const shown = '{"matchExpressions":[{"key":"a","operator":"Foo"}]}';

    expect(refusals(`${APPS}/${plural}`, workload(kind)).toSorted()).toEqual(
      [operator, `spec.selector: Invalid value: ${shown}${why}`].toSorted(),
    );
  });
});

describe('a service', () => {
  it('has load balancer fields only as a load balancer', () => {
    expect(refusals(`${CORE}/services`, service({ loadBalancerSourceRanges: ['10.0.0.0/8'] }))).toEqual([
      "spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'",
    ]);
    const ranges = { type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 ', 'x'] };
    expect(refusals(`${CORE}/services`, service(ranges))).toEqual([
      'spec.LoadBalancerSourceRanges[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
    ]);
  });

  it('has no dots in its name', () => {
    expect(refusals(`${CORE}/services`, service({}, { name: 'a.b' }))).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('shares node ports among equal port numbers, but repeats nothing else', () => {
    const { request } = testServer();
    const dns = [
      { name: 'a', port: 53 },
      { name: 'b', port: 53, protocol: 'UDP' },
      { name: 'c', port: 54 },
    ];

    const made = request('POST', `${CORE}/services`, service({ type: 'LoadBalancer', ports: dns }));
    const { ports } = made.object['spec'] as { ports: readonly { nodePort: number }[] };
    expect(ports.map(({ nodePort }) => nodePort)).toEqual([30_000, 30_000, 30_001]);

    const changed = request(
      'PATCH',
      `${CORE}/services/s`,
      { spec: { ports: [...dns, { name: 'd', port: 54, protocol: 'UDP' }] } },
      MERGE,
    );
    const { ports: after } = changed.object['spec'] as { ports: readonly { nodePort: number }[] };
    expect(after.map(({ nodePort }) => nodePort)).toEqual([30_000, 30_000, 30_001, 30_002]);
  });

  it('is refused an address of another range with the message of a dry run, or of a write', () => {
    const asked = service({ clusterIP: '7.7.7.7' });

    expect(refusals(`${CORE}/services?dryRun=All`, asked)).toEqual([
      'spec.clusterIPs: Invalid value: ["7.7.7.7"]: failed to allocate IP 7.7.7.7: the provided IP (7.7.7.7) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
    ]);
    expect(refusals(`${CORE}/services`, asked)).toEqual([
      'spec.clusterIPs: Invalid value: ["7.7.7.7"]: failed to allocate IP 7.7.7.7: the provided network does not match the current range',
    ]);
  });
});
