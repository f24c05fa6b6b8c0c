/** Bodies with very many values: they are counted before the body is parsed. */
import { expect, it } from 'vitest';
import type { JsonObject } from '../../objects/object.ts';
import { CONFIGMAPS_PATH } from '../testing.ts';
import { APPLY, JSON_TYPE, map, MERGE_PATCH, send, times, useServer } from './bounds-testing.ts';

useServer();

it('refuses a quarter of a million objects in a body as 400', async () => {
  const body = `{"metadata":{"name":"many"},"a":[${'{},'.repeat(900_000)}{}]}`;

  expect(await send('POST', CONFIGMAPS_PATH, JSON_TYPE, body)).toMatchObject({ code: 400 });
});

it('refuses very many objects with distinct keys as 400', async () => {
  const managedFields = times(200_000, (at) => ({ [`x${at}`]: 1 }));

  expect(await send('POST', CONFIGMAPS_PATH, JSON_TYPE, { metadata: { name: 'own', managedFields } })).toMatchObject({
    code: 400,
    message: expect.stringContaining('more than 75000 objects and arrays with more than 75000 different keys'),
  });
});

it.each([
  ['POST', CONFIGMAPS_PATH, JSON_TYPE],
  ['PATCH', `${CONFIGMAPS_PATH}/wide?fieldManager=m`, MERGE_PATCH],
  ['PATCH', `${CONFIGMAPS_PATH}/wide?fieldManager=m`, APPLY],
])('refuses more than 150,000 different keys as 400: %s %s %s', async (method, path, type) => {
  const object = (keys: number): JsonObject => ({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wide' } },
    unknown: map(keys, (at) => [`k${at}`, 1]),
  });

  expect(await send(method, path, type, object(160_000))).toMatchObject({ code: 400 });
  expect((await send(method, path, type, object(140_000))).code).not.toBe(400);
});
