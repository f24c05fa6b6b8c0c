import { describe, expect, it } from 'vitest';
import { MERGE, testServer, widget, WIDGETS_PATH } from '../testing.ts';

const SCALE_PATH = `${WIDGETS_PATH}/a/scale`;

function scaled(): ReturnType<typeof testServer> {
  const made = testServer();
  made.request('POST', WIDGETS_PATH, widget('a', { replicas: 2 }));
  return made;
}

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' } };

describe('scale (51)', () => {
  it('writes the count as an update of the object', () => {
    const { request } = scaled();

    const answer = request('PUT', SCALE_PATH, { ...SCALE, spec: { replicas: 4 } });

    expect(answer).toMatchObject({ code: 200, body: { spec: { replicas: 4 } } });
    expect(request('GET', `${WIDGETS_PATH}/a`).object).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 4 },
    });
  });

  it('validates a negative count as part of the object', () => {
    const { request } = scaled();

    expect(request('PATCH', SCALE_PATH, { spec: { replicas: -1 } }, MERGE)).toMatchObject({
      code: 422,
      body: {
        message:
          'Widget.example.com "a" is invalid: .spec.replicas: Invalid value: -1: should be a non-negative integer',
      },
    });
  });

  it.each([
    [{ ...SCALE, metadata: {} }, 'the name of the object (a based on URL) was undeterminable: name must be provided'],
    [{ ...SCALE, metadata: { name: 'b' } }, 'the name of the object (b) does not match the name on the URL (a)'],
    [
      { ...SCALE, metadata: { name: 'a', namespace: 'other' } },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [{ ...SCALE, kind: 'Widget' }, 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"'],
  ])('refuses %j as 400', (body, message) => {
    expect(scaled().request('PUT', SCALE_PATH, { ...body, spec: { replicas: 1 } })).toMatchObject({
      code: 400,
      body: { message },
    });
  });

  it('conflicts with the uid of another scale', () => {
    const answer = scaled().request('PUT', SCALE_PATH, {
      ...SCALE,
      metadata: { name: 'a', uid: 'other' },
      spec: { replicas: 1 },
    });

    expect(answer).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
  });
});
