import { expect, test } from 'vitest';
import { collectionPath, objectPath } from './path.ts';
import { requestInfo } from './request-info.ts';

const PODS = { group: '', version: 'v1', resource: 'pods' };
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };

test('builds paths of core and of other groups', () => {
  expect(collectionPath(PODS, 'default')).toBe('/api/v1/namespaces/default/pods');
  expect(collectionPath(DEPLOYMENTS, '')).toBe('/apis/apps/v1/deployments');
  expect(objectPath(DEPLOYMENTS, 'default', 'web', 'scale')).toBe(
    '/apis/apps/v1/namespaces/default/deployments/web/scale',
  );
});

test('round-trips through request-info, odd names included', () => {
  expect(requestInfo('GET', objectPath(PODS, 'default', 'system:a b/c', 'status'), {})).toEqual({
    verb: 'get',
    ...PODS,
    subresource: 'status',
    namespace: 'default',
    name: 'system:a b/c',
  });
});
