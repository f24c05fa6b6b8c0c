import { expect, it } from 'vitest';
import { testServer } from '../testing.ts';

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';

it('is owned by its sender, although it is stored as null (83)', () => {
  const { request } = testServer({ fieldManagement: 'eager' });
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'a' } };
  const owned = (name: string, rules: readonly never[] | null): unknown => {
    const created = request('POST', `${ROLES}?fieldManager=m`, { ...role, metadata: { name }, rules });
    expect(created.object['rules']).toBeNull();
    return created.object.metadata.managedFields?.map(({ fieldsV1 }) => fieldsV1);
  };

  expect(owned('a', [])).toEqual([{ 'f:rules': {} }]);
  expect(owned('b', null)).toBeUndefined();
});
