import { describe, expect, it } from 'vitest';
import { JSON_PATCH, MERGE, testServer, widget, WIDGETS_PATH } from '../testing.ts';

const A = `${WIDGETS_PATH}/a`;
const FINALIZER = 'example.com/hold';

describe('patch', () => {
  it('refuses other patch types as 415 and lists the supported ones (56)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };

    expect(request('PATCH', A, {}, { headers })).toMatchObject({
      code: 415,
      body: {
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      },
    });
  });

  it('answers a failed JSON patch operation, including test, as 422 without details (58)', () => {
    const { request } = testServer();
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('PATCH', A, [{ op: 'test', path: '/spec/size', value: 7 }], JSON_PATCH)).toMatchObject({
      code: 422,
      body: {
        reason: 'Invalid',
        message: 'the server rejected our request due to an error in our request',
        details: {},
      },
    });
    expect(request('PATCH', A, { op: 'add' }, JSON_PATCH).code).toBe(400);
  });

  it('never conflicts without a version and conflicts with a stale one (62, 64)', () => {
    const { request } = testServer();
    const { object } = request('POST', WIDGETS_PATH, widget('a'));

    expect(request('PATCH', A, { spec: { size: 2 } }, MERGE).code).toBe(200);
    expect(request('PATCH', A, { spec: { note: 'hi' } }, MERGE).code).toBe(200);
    const stale = { metadata: { resourceVersion: object.metadata.resourceVersion ?? '' }, spec: { size: 3 } };
    expect(request('PATCH', A, stale, MERGE).code).toBe(409);
  });

  it('cannot change the name or the uid, and never creates (62)', () => {
    const { request } = testServer();
    expect(request('PATCH', A, { spec: {} }, MERGE).code).toBe(404);
    request('POST', WIDGETS_PATH, widget('a'));

    expect(request('PATCH', A, { metadata: { name: 'b' } }, MERGE).code).toBe(400);
    const cause = { field: 'metadata.uid', message: 'Invalid value: "other": field is immutable' };
    expect(request('PATCH', A, { metadata: { uid: 'other' } }, MERGE)).toMatchObject({
      code: 422,
      body: { details: { causes: [cause, cause] } },
    });
  });

  it('removes finalizers with null or an empty list (143)', () => {
    const { request } = testServer();
    for (const name of ['a', 'b']) request('POST', WIDGETS_PATH, widget(name, {}, { finalizers: [FINALIZER] }));

    expect(request('PATCH', A, { metadata: { finalizers: null } }, MERGE).object.metadata.finalizers).toBeUndefined();
    expect(
      request('PATCH', `${WIDGETS_PATH}/b`, { metadata: { finalizers: [] } }, MERGE).object.metadata.finalizers,
    ).toBeUndefined();
  });
});
