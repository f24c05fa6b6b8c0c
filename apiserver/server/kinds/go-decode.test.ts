import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { testServer } from '../testing.ts';
import { BuiltInSchema } from './builtin-schema.ts';

const DEPLOYMENT = new BuiltInSchema('apps/v1', 'Deployment');
const LEASE = new BuiltInSchema('coordination.k8s.io/v1', 'Lease');

function deployment(spec: JsonObject): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec };
}

function decoded(spec: JsonObject): JsonObject {
  const object = DEPLOYMENT.decode(deployment(spec), undefined);
  if (typeof object === 'string') throw new Error(object);
  return object['spec'] as JsonObject;
}

const container = (fields: JsonObject): JsonObject => ({
  template: { spec: { containers: [{ name: 'c', ...fields }] } },
});

describe('wrong types', () => {
  it.each([
    [
      { replicas: '3' },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { replicas: 1.5 },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { replicas: 3e10 },
      'json: cannot unmarshal number 30000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      { template: { spec: { containers: ['x'] } } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
    ],
    [
      { template: { metadata: { labels: { a: 1 } } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.spec.template.metadata.labels of type string',
    ],
    [
      { template: { spec: { volumes: [{ name: 'v', configMap: { items: [{ key: 5 }] } }] } } },
      'json: cannot unmarshal number into Go struct field KeyToPath.spec.template.spec.volumes.VolumeSource.configMap.items.key of type string',
    ],
    [
      { strategy: { rollingUpdate: { maxSurge: true } } },
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      container({ resources: { limits: { cpu: 'abc' } } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])("refuses %j with Go's message (28)", (spec, message) => {
    expect(DEPLOYMENT.decode(deployment(spec), undefined)).toBe(message);
  });

  it("have the converter's messages after a strategic merge patch (113)", () => {
    expect(DEPLOYMENT.decode(deployment({ replicas: 'x' }), undefined, 'converter')).toBe('unrecognized type: int32');
    expect(DEPLOYMENT.decode(deployment({ template: 'x' }), undefined, 'converter')).toBe(
      'cannot restore struct from: string',
    );
    expect(DEPLOYMENT.decode(deployment({ replicas: 1.5 }), undefined, 'converter')).toBe(
      'cannot convert float64 to int32',
    );
    expect(DEPLOYMENT.decode(deployment({ strategy: { type: 1 } }), undefined, 'converter')).toBe(
      'cannot convert int64 to v1.DeploymentStrategyType',
    );
  });
});

describe('re-encoding (23)', () => {
  it('omits nulls and empty values, and writes what Go always writes', () => {
    const spec = decoded({ paused: false, minReadySeconds: 0, replicas: 0, ...container({ args: [], env: null }) });

    expect(spec).toMatchObject({ replicas: 0, selector: null, template: { metadata: {} } });
    expect(Object.keys(spec)).not.toContain('paused');
    expect(Object.keys(spec)).not.toContain('minReadySeconds');
    expect(JSON.stringify(spec)).not.toMatch(/args|env/);
  });

  it('drops unknown fields and reports them in document order (113)', () => {
    const unknown: string[] = [];
    const object = DEPLOYMENT.decode(deployment({ ...container({ bar: 1 }), Replicas: 1, foo: {} }), unknown);

    expect(unknown).toEqual(['spec.template.spec.containers[0].bar', 'spec.Replicas', 'spec.foo']);
    expect(JSON.stringify(object)).not.toMatch(/bar|Replicas|foo/);
  });

  it('spells quantities and times as Go does, and refuses incomplete times', () => {
    const lease = (renewTime: string): KubeObject | string =>
      LEASE.decode(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: {}, spec: { renewTime } },
        undefined,
      );

    expect(decoded(container({ resources: { limits: { cpu: '1000m', memory: 1024 } } }))).toMatchObject(
      container({ resources: { limits: { cpu: '1', memory: '1024' } } }),
    );
    expect(lease('2020-01-01T02:00:00.123456+02:00')).toMatchObject({
      spec: { renewTime: '2020-01-01T00:00:00.123456Z' },
    });
    expect(lease('2020-01-01T00:00:00Z')).toBe(
      'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
    );
  });

  it('returns the same object when nothing changes', () => {
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const first = DEPLOYMENT.decode(deployment({ selector: { matchLabels: labels }, template }), []) as KubeObject;

    expect(DEPLOYMENT.decode(first, [])).toBe(first);
  });
});

describe('bodies', () => {
  const path = '/api/v1/namespaces/default/configmaps';

  it.each([
    [
      { kind: 'Foo', apiVersion: 'v1' },
      'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { kind: 'Deployment', apiVersion: 'apps/v1' },
      'Deployment in version "v1" cannot be handled as a ConfigMap: converting (v1.Deployment) to (core.ConfigMap): unknown conversion',
    ],
    [
      { metadata: { name: 5 } },
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
  ])('refuses %j (28)', (body, message) => {
    expect(testServer().request('POST', path, body as JsonObject)).toMatchObject({ code: 400, body: { message } });
  });

  it('shows the start of a non-object body in hexadecimal (28)', () => {
    const body = testServer().request('POST', path, []).body as { readonly message: string };

    expect(body.message).toMatch(/^the object provided is unrecognized \(must be of type ConfigMap\): .* \(5b5d\)$/);
  });

  it('refuses unknown fields under strict validation and warns otherwise, metadata included (113)', () => {
    const { request } = testServer();
    const body = { metadata: { name: 'a', zap: 1 }, data: {}, zip: 1 };

    expect(request('POST', `${path}?fieldValidation=Strict`, body).body).toMatchObject({
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.zap", unknown field "zip"',
    });
    expect(request('POST', path, body).headers).toMatchObject({
      warning: '299 - "unknown field \\"metadata.zap\\"", 299 - "unknown field \\"zip\\""',
    });
  });
});

it('keeps metadata when the status of a flow schema is written (48)', () => {
  const { request } = testServer();
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  request('POST', path, { metadata: { name: 'f' }, spec: { priorityLevelConfiguration: { name: 'exempt' } } });
  const patch = { metadata: { labels: { a: '1' } }, status: {} };
  const headers = { 'content-type': 'application/merge-patch+json' };

  expect(request('PATCH', `${path}/f/status`, patch, { headers }).object.metadata.labels).toBeUndefined();
  expect(request('PATCH', `${path}/f`, patch, { headers }).object.metadata.labels).toEqual({ a: '1' });
});
