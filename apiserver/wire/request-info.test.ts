import { describe, expect, it } from 'vitest';
import { requestInfo } from './request-info.ts';

describe('what a request is about', () => {
  it('is read off collections, objects and subresources', () => {
    expect(requestInfo('GET', '/api/v1/namespaces/a/pods', {})).toMatchObject({
      verb: 'list',
      resource: 'pods',
      namespace: 'a',
    });
    expect(requestInfo('GET', '/api/v1/namespaces/a/pods', { watch: 'true' })).toMatchObject({ verb: 'watch' });
    expect(requestInfo('PUT', '/apis/apps/v1/namespaces/a/deployments/b/status', {})).toMatchObject({
      verb: 'update',
      group: 'apps',
      name: 'b',
      subresource: 'status',
    });
    expect(requestInfo('GET', '/healthz', {})).toBeUndefined();
  });

  it('is a watch under the deprecated prefix too', () => {
    expect(requestInfo('GET', '/api/v1/watch/pods', {})).toEqual({
      verb: 'watch',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: '',
      name: '',
    });
    expect(requestInfo('GET', '/apis/apps/v1/watch/namespaces/a/deployments', {})).toMatchObject({
      verb: 'watch',
      resource: 'deployments',
      namespace: 'a',
    });
  });
});
