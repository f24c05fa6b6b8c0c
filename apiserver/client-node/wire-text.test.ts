import { expect, it } from 'vitest';
import { decodeRequest, fetchFailure, frameText, lowerCaseHeaders, responseText } from './wire-text.ts';

it('decodes path, repeated query and JSON body', () => {
  const request = decodeRequest('GET', '/api/v1/pods?labelSelector=a%3Db%2Cc&watch=true', {}, undefined);

  expect(request).toEqual({
    method: 'GET',
    path: '/api/v1/pods',
    query: { labelSelector: 'a=b,c', watch: 'true' },
    headers: {},
  });
  expect(decodeRequest('GET', '/api/v1/pods?labelSelector=a%3Db%2Cc&watch=true', {}, undefined).query).toBe(
    request.query,
  );
});

it('reads an apply body as YAML, and passes unreadable YAML on for the server to refuse', () => {
  const yaml = decodeRequest(
    'PATCH',
    '/x',
    { 'content-type': 'application/apply-patch+yaml' },
    'kind: Pod\nspec: {a: 1}\n',
  );
  const broken = decodeRequest('POST', '/x', { 'content-type': 'application/json' }, '{"kind": ');

  expect(yaml.body).toEqual({ kind: 'Pod', spec: { a: 1 } });
  expect(broken).toMatchObject({ undecodable: '{"kind": ' });
  expect(broken).not.toHaveProperty('body');
});

it('writes a list from the texts of its items, equal to JSON.stringify', () => {
  const items = [{ a: 1 }, { b: 'ü"\n', none: undefined }];
  const list = { kind: 'List', metadata: { resourceVersion: '5' }, absent: undefined, items };

  expect(responseText({ code: 200, body: list })).toBe(JSON.stringify(list));
  expect(responseText({ code: 200, body: { items: [], kind: 'List' } })).toBe('{"items":[],"kind":"List"}');
  expect(frameText({ type: 'ADDED', object: items[1] ?? {} })).toBe('{"type":"ADDED","object":{"b":"ü\\"\\n"}}\n');
});

it('lower-cases header names', () => {
  expect(lowerCaseHeaders({ 'User-Agent': 'x', accept: 'y', 'Retry-After': 5 })).toEqual({
    'user-agent': 'x',
    accept: 'y',
    'retry-after': '5',
  });
});

it('names a broken connection as Node does', () => {
  const { message, cause } = fetchFailure({ code: 'ECONNREFUSED', message: '' });

  expect(message).toBe('fetch failed');
  expect(cause).toMatchObject({
    message: 'connect ECONNREFUSED',
    code: 'ECONNREFUSED',
    errno: -111,
    syscall: 'connect',
  });
});
