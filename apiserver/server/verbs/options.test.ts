import { describe, expect, it } from 'vitest';
import { configMap, CONFIGMAPS_PATH, MERGE, testServer } from '../testing.ts';

const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const PODS_PRESERVED =
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

describe('options of writes', () => {
  const { request } = testServer();
  const textOf = (answer: { readonly body: unknown }): string => (answer.body as { message: string }).message;

  it('reports all errors in the options of a patch, whether its object exists or not (33)', () => {
    const answer = request('PATCH', `${CONFIGMAPS_PATH}/none?force=true&dryRun=Some`, {}, MERGE);

    expect(textOf(answer)).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: [force: Forbidden: may not be specified for non-apply patch, dryRun: Unsupported value: ["Some"]: supported values: "All"]',
    );
  });

  it('reports all errors in the options of an apply (80)', () => {
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } };
    const answer = request('PATCH', `${CONFIGMAPS_PATH}/none?dryRun=Some`, configMap('none'), apply);

    expect(textOf(answer)).toBe(
      'PatchOptions.meta.k8s.io "" is invalid: [fieldManager: Required value: is required for apply patch, dryRun: Unsupported value: ["Some"]: supported values: "All"]',
    );
  });

  it('validates the options of subresources before it looks up the object (33)', () => {
    for (const path of ['pods/none/binding', 'pods/none/eviction'])
      expect(request('POST', `/api/v1/namespaces/default/${path}?dryRun=Some`, {})).toMatchObject({ code: 422 });
    expect(request('PUT', '/apis/apps/v1/namespaces/default/deployments/none/scale?dryRun=Some', {})).toMatchObject({
      code: 422,
    });
  });

  it('decodes a scale before it looks up the object (60)', () => {
    const path = '/apis/apps/v1/namespaces/default/deployments/none/scale';
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'none' }, spec: { replicas: 'x' } };

    expect(request('PUT', path, scale)).toMatchObject({ code: 400 });
    expect(request('PUT', path, { ...scale, spec: { replicas: 1 } })).toMatchObject({ code: 404 });
  });

  it('accepts options of deletions in the query, all of them at once (45)', () => {
    expect(textOf(request('DELETE', `${CONFIGMAPS_PATH}/none?propagationPolicy=Wrong&dryRun=Some`))).toBe(
      'DeleteOptions.meta.k8s.io "" is invalid: [propagationPolicy: Unsupported value: "Wrong": supported values: "Foreground", "Background", "Orphan", "nil", dryRun: Unsupported value: ["Some"]: supported values: "All"]',
    );
    expect(textOf(request('DELETE', `${CONFIGMAPS_PATH}/none?gracePeriodSeconds=x`))).toBe(
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
    expect(request('DELETE', `${CONFIGMAPS_PATH}/none?fieldValidation=Wrong`)).toMatchObject({ code: 404 });
  });

  it('warns about deleting jobs without a propagation policy, whether there are any or not (45)', () => {
    expect(request('DELETE', `${JOBS}/none`).headers).toMatchObject({ warning: PODS_PRESERVED });
    expect(request('DELETE', JOBS).headers).toMatchObject({ warning: PODS_PRESERVED });
    expect(request('DELETE', `${JOBS}?propagationPolicy=Orphan`).headers).toBeUndefined();
  });
});

describe('names and places of updates', () => {
  const { request } = testServer();

  it('checks the namespace before the name (30)', () => {
    const strange = configMap('b', {}, { namespace: 'other' });

    expect(request('PUT', `${CONFIGMAPS_PATH}/a`, strange)).toMatchObject({
      code: 400,
      body: { message: 'the namespace of the provided object does not match the namespace sent on the request' },
    });
  });

  it('reports the storage key in a uid precondition failure (30)', () => {
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a', uid: 'u' } };
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/a';
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', uid: 'u' }, spec: {} };
    const keyIn = (answer: { readonly body: unknown }): string | undefined =>
      /Key: (\S+),/.exec((answer.body as { message: string }).message)?.[1];

    expect(keyIn(request('PUT', roles, role))).toBe('/registry/roles/default/a');
    expect(keyIn(request('PUT', `${roles}?dryRun=All`, role))).toBe('/roles/default/a');
    expect(keyIn(request('PUT', '/api/v1/namespaces/default/services/a', service))).toBe(
      '/registry/services/specs/default/a',
    );
  });

  it('refuses an invalid version, even where an update or an apply creates (30)', () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'b', resourceVersion: 'x' },
    };
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles/b';
    const apply = { headers: { 'content-type': 'application/apply-patch+yaml' } };

    for (const answer of [request('PUT', roles, role), request('PATCH', `${roles}?fieldManager=m`, role, apply)])
      expect(answer).toMatchObject({ code: 500, body: { message: 'strconv.ParseUint: parsing "x": invalid syntax' } });
  });

  it('creates a service through its status, without addresses (30)', () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    const answer = request('PUT', '/api/v1/namespaces/default/services/s/status', service);

    expect(answer.code).toBe(201);
    expect(answer.object['spec']).not.toHaveProperty('clusterIP');
  });
});
