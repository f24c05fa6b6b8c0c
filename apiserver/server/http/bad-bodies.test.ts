/** Malformed bodies over HTTP: the answer of each handler, as observed on a real server. */
import { afterEach, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, testServer, WIDGETS_PATH } from '../testing.ts';
import { serveHttp, type HttpServer } from './serve.ts';

let http: HttpServer | undefined;

afterEach(async () => {
  await http?.close();
  http = undefined;
});

/** Returns the code and message of the answer. */
async function send(method: string, path: string, type: string, body: string): Promise<readonly [number, string]> {
  const { server, request } = testServer();
  request('POST', CONFIGMAPS_PATH, configMap('c'));
  http = await serveHttp(server);
  const answer = await fetch(`${http.url}${path}`, { method, headers: { 'content-type': type }, body });
  return [answer.status, ((await answer.json()) as { readonly message: string }).message];
}

const UNKNOWN_FORMAT =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

it.each([
  ['POST', CONFIGMAPS_PATH],
  ['POST', WIDGETS_PATH],
  ['PUT', `${CONFIGMAPS_PATH}/c`],
  ['DELETE', `${CONFIGMAPS_PATH}/c`],
  ['POST', REVIEWS],
  ['POST', '/api/v1/namespaces/default/pods/p/eviction'],
  ['POST', '/api/v1/namespaces/default/pods/p/binding'],
])('refuses a well-formed body of %s %s under an unknown type (2)', async (method, path) => {
  expect(await send(method, path, 'text/json', '{}')).toEqual([415, UNKNOWN_FORMAT]);
});

it('compares patch types exactly (2)', async () => {
  const answer = await send('PATCH', `${CONFIGMAPS_PATH}/c`, 'Application/Merge-Patch+JSON', '{}');

  expect(answer).toEqual([415, '415: Unsupported Media Type']);
});

it.each([
  ['json', 'Ignore', '{', 'unexpected end of JSON input'],
  ['json', 'Warn', '{', 'error decoding patch: unexpected end of JSON input'],
  ['json', 'Ignore', '{}', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
  ['merge', 'Ignore', 'x', 'Invalid JSON Patch'],
  ['merge', 'Ignore', '[]', 'Invalid JSON Patch'],
])(
  'refuses a malformed %s patch with the message of its first decoder, under %s (2)',
  async (kind, validation, body, message) => {
    const path = `${CONFIGMAPS_PATH}/c?fieldValidation=${validation}`;

    expect(await send('PATCH', path, `application/${kind}-patch+json`, body)).toEqual([400, message]);
  },
);

it.each([
  ['application/json', ' "s" ', '2022732220'],
  ['application/yaml', 'text', '74657874'],
  ['application/vnd.kubernetes.protobuf', '\u00ff', 'c3bf'],
])('quotes a non-object body verbatim in %s (2)', async (type, body, hex) => {
  const [code, message] = await send('POST', CONFIGMAPS_PATH, type, body);

  expect([code, message.endsWith(`(${hex})`)]).toEqual([400, true]);
});

it('names the kind that a subresource accepts (2)', async () => {
  const [, message] = await send('POST', '/api/v1/namespaces/default/pods/p/binding', 'application/json', '[]');

  expect(message).toMatch(/^the object provided is unrecognized \(must be of type Binding\)/);
});

it('refuses control characters in YAML as Go does (2)', async () => {
  const [, message] = await send('POST', CONFIGMAPS_PATH, 'application/yaml', 'a: \u0001');

  expect(message).toContain('yaml: control characters are not allowed');
});
