/** Objects that are small to send and expensive to validate. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { CONFIGMAPS_PATH } from '../testing.ts';
import { CRDS, define, JSON_TYPE, map, send, times, useServer } from './bounds-testing.ts';

useServer();

const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';

it.each([
  [
    'unknown fields of managedFields',
    CONFIGMAPS_PATH,
    { metadata: { name: 'unknown', managedFields: times(200_000, (at) => ({ [`x${at % 1000}`]: 1 })) } },
    201,
  ],
  ['items that lack a field', ROLES, { metadata: { name: 'lacking' }, rules: times(200_000, () => ({})) }, 422],
] as const)('answers a body with 200,000 %s', async (_, path, object, code) => {
  expect(await send('POST', path, JSON_TYPE, object)).toMatchObject({ code });
});

const TEXTS = times(150_000, () => 'x');
const ALTERNATIVES = 300;

it.each([
  ['anyOf', '(anyOf)'],
  ['oneOf', '(oneOf)'],
  ['allOf', 'spec[0] in body should be at least 2 chars long'],
])('validates a long list against 300 alternatives of %s', async (combination, said) => {
  const branches = times(ALTERNATIVES, (at) => ({ items: { minLength: at + 2 } }));
  const { path, head } = await define({ type: 'array', items: { type: 'string' }, [combination]: branches });

  const { code, message } = await send('POST', path, JSON_TYPE, { ...head, spec: TEXTS });

  expect({ code, message }).toEqual({ code: 422, message: expect.stringContaining(said) });
});

it.each(['anyOf', 'oneOf'])(
  'validates each item of a long list against 300 alternatives of %s',
  async (combination) => {
    const items = { type: 'string', [combination]: times(ALTERNATIVES, (at) => ({ minLength: at + 2 })) };
    const { path, head } = await define({ type: 'array', items });

    const { code, message } = await send('POST', path, JSON_TYPE, { ...head, spec: TEXTS });

    expect({ code, message }).toEqual({
      code: 422,
      message: expect.stringMatching(/"spec\[0\]" must validate .*spec\[0\] in body should be at least 2 chars long/),
    });
  },
);

it('accepts a long list that matches the last of 30 alternatives', async () => {
  const branches = times(30, (at) => ({ items: { minLength: 30 - at } }));
  const { path, head } = await define({ type: 'array', items: { type: 'string' }, anyOf: branches });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: TEXTS })).toMatchObject({ code: 201 });
});

it('times out with nested alternatives for each item, as kube-apiserver does', async () => {
  let branch: JsonObject = { minLength: 3 };
  for (let level = 0; level < 11; level++) branch = { anyOf: [branch, branch] };
  const { path, head } = await define({ type: 'array', items: { type: 'string', ...branch } });

  expect(await send('POST', path, JSON_TYPE, { ...head, spec: TEXTS })).toMatchObject({
    code: 504,
    message: 'Timeout: request did not complete within requested timeout - context deadline exceeded',
  });
});

it('compiles no pattern of a definition before there is a text to validate', async () => {
  const properties = map(12_000, (at) => [`p${at}`, { type: 'string', pattern: `^(a|b${at})*$` }]);
  const { path, head } = await define({ type: 'object', properties });

  const { code, message } = await send('POST', path, JSON_TYPE, { ...head, spec: { p7: 'ab7', p8: 'b7' } });

  expect({ code, message }).toEqual({ code: 422, message: expect.stringContaining("should match '^(a|b8)*$'") });
});

it('counts the keys of labels, which are stored', async () => {
  const labels = map(140_000, (at) => [`label${at}`, 'v']);

  expect(await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name: 'labels', labels } })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it('refuses a definition that is too large as JSON, its form in etcd', async () => {
  const properties = map(50_000, (at) => [`property${at}`, { type: 'string' }]);
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties } },
  };
  const names = { plural: 'larges', singular: 'large', kind: 'Large' };
  const spec = { group: 'bounds.io', scope: 'Namespaced', names, versions: [version] };

  expect(await send('POST', CRDS, JSON_TYPE, { metadata: { name: 'larges.bounds.io' }, spec })).toMatchObject({
    code: 500,
    message: 'etcdserver: request is too large',
  });
});

it('shows half a mebibyte of an invalid value', async () => {
  const owner = { apiVersion: 'v1', kind: 'X', controller: true };
  const ownerReferences = times(30_000, (at) => ({ ...owner, name: `n${at}`, uid: `u${at}` }));

  const answer = await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name: 'owned', ownerReferences } });

  expect(answer).toMatchObject({ code: 422 });
  expect(answer.length).toBeLessThan(2 * 1024 * 1024);
  expect((answer.body as { readonly message: string }).message).toContain(
    '...: Only one reference can have Controller set to true. Found "true" in references for X/n0 and X/n1',
  );
});
