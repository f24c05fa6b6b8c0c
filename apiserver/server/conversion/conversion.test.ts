import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { CallOutAnswer, CallOutFunction } from '../server.ts';
import { MERGE, testServer, type Answer, type TestServer } from '../testing.ts';

const V1 = '/apis/example.com/v1/namespaces/default/gadgets';
const V2 = '/apis/example.com/v2/namespaces/default/gadgets';

interface Converting extends TestServer {
  /** Each call to the webhook, as `number of objects to version`. */
  readonly calls: string[];
  fail: string | undefined;
}

/** Returns a server whose v1 has spec.size and v2 spec.count; v1 is the storage version. */
function server(callOut?: CallOutFunction): Converting {
  const calls: string[] = [];
  const answerNow: CallOutFunction = (asked, answer) => {
    const { uid, desiredAPIVersion: to, objects } = asked.body['request'] as unknown as Asked;
    calls.push(`${objects.length} to ${to}`);
    answer(made.fail === undefined ? converted(uid, objects, to) : failed(uid, made.fail));
    return () => {};
  };
  const made: Converting = {
    ...testServer({ callOut: callOut ?? answerNow, widgets: false }),
    calls,
    fail: undefined,
  };
  made.server.installCrd(DEFINITION);
  return made;
}

interface Asked {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

function converted(uid: string, objects: readonly KubeObject[], to: string): CallOutAnswer {
  return reviewed({
    uid,
    result: { status: 'Success' },
    convertedObjects: objects.map(({ spec, ...rest }) => {
      const { size, count } = (spec ?? {}) as { readonly size?: number; readonly count?: number };
      return {
        ...rest,
        apiVersion: to,
        spec: size === undefined ? { size: count ?? 0 } : { count: size },
      };
    }),
  });
}

function failed(uid: string, message: string): CallOutAnswer {
  return reviewed({ uid, result: { status: 'Failure', message } });
}

function reviewed(response: JsonObject): CallOutAnswer {
  const body = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response };
  return { outcome: 'answered', code: 200, body };
}

function version(name: string, storage: boolean, field: string): JsonObject {
  const spec = { type: 'object', properties: { [field]: { type: 'integer' } } };
  return { name, served: true, storage, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } };
}

const DEFINITION: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [version('v1', true, 'size'), version('v2', false, 'count')],
    conversion: {
      strategy: 'Webhook',
      webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://hook/convert' } },
    },
  },
};

function gadget(apiVersion: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `example.com/${apiVersion}`, kind: 'Gadget', metadata: { name }, spec };
}

function message(answer: Answer): unknown {
  return (answer.body as JsonObject)['message'];
}

describe('a definition with a conversion webhook', () => {
  it('is stored in one version and served in each (121)', () => {
    const { request, calls } = server();
    request('POST', V1, gadget('v1', 'a', { size: 1 }));
    expect(calls).toEqual([]);
    expect(request('POST', V2, gadget('v2', 'b', { count: 2 })).object).toMatchObject({ spec: { count: 2 } });
    expect(request('GET', `${V1}/b`).object).toMatchObject({ apiVersion: 'example.com/v1', spec: { size: 2 } });
    expect(request('PATCH', `${V2}/a`, { spec: { count: 5 } }, MERGE).object).toMatchObject({ spec: { count: 5 } });
    expect(request('GET', `${V1}/a`).object).toMatchObject({ spec: { size: 5 }, metadata: { generation: 2 } });
  });

  it('converts lists in one call, and each object once', () => {
    const { request, calls } = server();
    for (const name of ['a', 'b', 'c']) request('POST', V1, gadget('v1', name, { size: 1 }));
    expect(request('GET', V2).body).toMatchObject({ items: [{ spec: { count: 1 } }, {}, {}] });
    request('GET', V2);
    expect(calls).toEqual(['3 to example.com/v2']);
  });

  it('delivers every change to watches in their own version, in order', () => {
    const made = server();
    made.request('POST', V1, gadget('v1', 'a', { size: 1 }));
    const open = made.watch(V2);
    made.request('PATCH', `${V1}/a`, { spec: { size: 2 } }, MERGE);
    made.request('POST', V1, gadget('v1', 'b', { size: 3 }));
    made.request('DELETE', `${V1}/a`);
    expect(open.events.map(({ type, object }) => [type, (object as KubeObject)['spec']])).toEqual([
      ['ADDED', { count: 1 }],
      ['MODIFIED', { count: 2 }],
      ['ADDED', { count: 3 }],
      ['DELETED', { count: 2 }],
    ]);
  });

  it('refuses what cannot be converted, and calls the webhook again the next time', () => {
    const made = server();
    made.request('POST', V1, gadget('v1', 'a', { size: 1 }));
    const { revision } = made.server;
    made.fail = 'cannot';
    const text = 'conversion webhook for example.com/v1, Kind=Gadget failed: cannot';
    expect(made.request('GET', `${V2}/a`)).toMatchObject({ code: 500, body: { message: text } });
    expect(message(made.request('POST', V2, gadget('v2', 'b', { count: 1 })))).toBe(text.replace('v1', 'v2'));
    expect(made.server.revision).toBe(revision);
    made.fail = undefined;
    expect(made.request('GET', `${V2}/a`).object).toMatchObject({ spec: { count: 1 } });
  });

  it('accepts a write when only the conversion for a watch fails, and ends the watch', () => {
    const made = server();
    const open = made.watch(V2);
    made.fail = 'cannot';
    expect(made.request('POST', V1, gadget('v1', 'a', { size: 1 })).code).toBe(201);
    expect(open.ended).toBe(true);
  });

  it('holds a write until the answers have arrived', () => {
    const waiting: (() => void)[] = [];
    const made = server((asked, answer) => {
      const { uid, desiredAPIVersion: to, objects } = asked.body['request'] as unknown as Asked;
      waiting.push(() => answer(converted(uid, objects, to)));
      return () => {};
    });
    const codes: number[] = [];
    made.server.send(
      { method: 'POST', path: V2, query: {}, headers: {}, body: gadget('v2', 'a', { count: 4 }) },
      { answer: ({ code }) => codes.push(code), open: () => {}, event: () => {}, end: () => {} },
    );
    expect([codes, made.server.objects('gadgets.example.com').length]).toEqual([[], 0]);
    while (waiting.length > 0) waiting.shift()?.();
    expect(codes).toEqual([201]);
    expect(made.request('GET', `${V1}/a`).object).toMatchObject({ spec: { size: 4 } });
  });
});
