import { describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from 'stalemate-apiserver/objects/object';
import { isServersKey, isServersObject, storageKey } from './storage-key.ts';

function keyOf(group: string, resource: string, builtIn: boolean, namespace?: string): string {
  const kind: ResourceKind = { group, version: 'v1', resource, kind: 'K', namespaced: namespace !== undefined };
  const metadata = { name: 'a', ...(namespace === undefined ? {} : { namespace }) };
  const object: KubeObject = { apiVersion: 'v1', kind: 'K', metadata };
  return storageKey(kind, builtIn, object);
}

describe('the key of an object', () => {
  it("is spelt as kube-apiserver does: built-in kinds without their group, some by a name of etcd's own", () => {
    expect(keyOf('', 'pods', true, 'default')).toBe('/registry/pods/default/a');
    expect(keyOf('apps', 'deployments', true, 'default')).toBe('/registry/deployments/default/a');
    expect(keyOf('', 'services', true, 'default')).toBe('/registry/services/specs/default/a');
    expect(keyOf('', 'nodes', true)).toBe('/registry/minions/a');
    expect(keyOf('networking.k8s.io', 'ingresses', true, 'x')).toBe('/registry/ingress/x/a');
    expect(keyOf('example.com', 'widgets', false, 'default')).toBe('/registry/example.com/widgets/default/a');
    expect(keyOf('apiextensions.k8s.io', 'customresourcedefinitions', true)).toBe(
      '/registry/apiextensions.k8s.io/customresourcedefinitions/a',
    );
  });

  it('knows what belongs to the server alone', () => {
    expect(isServersKey('/registry/leases/kube-system/apiserver-x')).toBe(true);
    expect(isServersKey('/registry/leases/default/mine')).toBe(false);
    const lease = { resource: 'leases.coordination.k8s.io', name: 'apiserver-x' };
    expect(isServersObject({ ...lease, namespace: 'kube-system' })).toBe(true);
    expect(isServersObject({ ...lease, namespace: 'default' })).toBe(false);
  });
});
