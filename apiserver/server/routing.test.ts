import { expect, it } from 'vitest';
import type { Method } from '../wire/http.ts';
import { CONFIGMAPS_PATH, testServer, WIDGETS_PATH } from './testing.ts';

const NO_METHOD = 'the server does not allow this method on the requested resource';
const NO_RESOURCE = 'the server could not find the requested resource';
const NO_PAGE = '404 page not found\n';

/** Returns code and message, or the text of the answer. */
function say(method: string, path: string): readonly [number, unknown] {
  const { request } = testServer();
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { code, body } = request(method as Method, path, undefined, { headers });
  return [code, typeof body === 'string' ? body : (body as { message?: unknown }).message];
}

it.each([
  ['PUT', CONFIGMAPS_PATH, 405, NO_METHOD],
  ['PATCH', CONFIGMAPS_PATH, 405, NO_METHOD],
  ['OPTIONS', CONFIGMAPS_PATH, 405, NO_METHOD],
  ['POST', `${CONFIGMAPS_PATH}/x`, 405, NO_METHOD],
  ['POST', '/api/v1/configmaps', 405, NO_METHOD],
  ['DELETE', '/api/v1/namespaces', 405, NO_METHOD],
  ['DELETE', '/api/v1/watch/namespaces/default/configmaps/x', 405, NO_METHOD],
  ['PUT', '/api/v1/namespaces/default/pods/x/log', 405, NO_METHOD],
  ['GET', '/api/v1/namespaces/default/pods/x/eviction', 405, NO_METHOD],
  ['GET', '/api/v1/namespaces/default/bindings', 405, NO_METHOD],
  ['GET', '/api/v1/namespaces/default/nothings', 404, NO_RESOURCE],
  ['GET', '/api/v1//namespaces', 404, NO_RESOURCE],
  ['GET', '/api/v1/configmaps/x', 404, NO_RESOURCE],
  ['GET', '/api/v1/namespaces/default/nodes', 404, NO_RESOURCE],
  ['GET', '/api/v1/namespaces/default/pods/x/scale', 404, NO_RESOURCE],
  ['PUT', '/apis/apps/v9/deployments', 404, NO_RESOURCE],
  ['GET', '/version/x', 404, NO_RESOURCE],
  ['GET', '//api/v1/namespaces', 404, NO_PAGE],
  ['GET', '/apis//v1', 404, NO_PAGE],
  ['GET', '/apis/nope/v1/things', 404, NO_PAGE],
  ['GET', '/healthz/', 404, NO_PAGE],
])('answers %s %s of built-in groups with %i as their router does', (method, path, code, message) => {
  expect(say(method, path)).toEqual([code, message]);
});

it.each([
  ['GET', `${WIDGETS_PATH}/absent/nope`, 404, 'widgets.example.com "absent" not found'],
  ['TRACE', `${WIDGETS_PATH}/absent/log/more`, 404, 'widgets.example.com "absent" not found'],
  ['PATCH', WIDGETS_PATH, 400, 'name must be provided'],
  ['PUT', WIDGETS_PATH, 400, 'name must be provided'],
  ['OPTIONS', WIDGETS_PATH, 405, ' is not supported on resources of kind "widgets.example.com"'],
  ['DELETE', '/apis/example.com/v1/widgets', 404, NO_PAGE],
  ['GET', '/apis/example.com/v1/widgets/x', 404, NO_PAGE],
  ['GET', '/apis/example.com/v1/nothings', 404, NO_PAGE],
  ['GET', '/apis/example.com/v9/widgets', 404, NO_PAGE],
])('answers %s %s of custom resources with %i', (method, path, code, message) => {
  expect(say(method, path)).toEqual([code, message]);
});

it.each([
  ['GET', `${CONFIGMAPS_PATH}/.`, 400, `Name parameter invalid: ".": may not be '.'`],
  ['GET', `${CONFIGMAPS_PATH}/%25`, 400, `Name parameter invalid: "%": may not contain '%'`],
  ['GET', '/api/v1/namespaces//configmaps/x', 400, 'Namespace parameter required.'],
  ['GET', `${CONFIGMAPS_PATH}/a%01`, 404, String.raw`configmaps "a\x01" not found`],
  ['GET', `${CONFIGMAPS_PATH}/absent///`, 404, 'configmaps "absent" not found'],
])('reads the name in %s %s', (method, path, code, message) => {
  expect(say(method, path)).toEqual([code, message]);
});

it.each([
  ['log', 204, ''],
  ['log?container=x', 400, 'container x is not valid for pod p'],
  ['log?tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['exec', 400, 'pod p does not have a host assigned'],
  ['attach', 400, 'pod p does not have a host assigned'],
  ['portforward', 400, 'pod p does not have a host assigned'],
  ['proxy/any/path', 400, 'address not allowed'],
])('answers /%s as a server without kubelets does', (target, code, message) => {
  const { request } = testServer();
  const pods = '/api/v1/namespaces/default/pods';
  request('POST', pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  });

  const { code: said, body } = request('GET', `${pods}/p/${target}`);

  expect([said, typeof body === 'string' ? body : (body as { message?: unknown }).message]).toEqual([code, message]);
});
