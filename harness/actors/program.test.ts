import { describe, expect, test } from 'vitest';
import type { ApiServer } from 'stalemate-apiserver';
import {
  CONFIGMAPS_PATH,
  configMap,
  MERGE,
  testServer,
  widget,
  WIDGETS_PATH,
  type TestServer,
} from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { ApiRequest, ApiResponse, Upstream } from 'stalemate-apiserver/wire/http';
import { failure } from 'stalemate-apiserver/wire/status';
import type { ObjectTarget, ProgramOp } from '../model/workload.ts';
import type { ProgramContext } from './program.ts';
import { runProgram } from './program.ts';

const WIDGET: ObjectTarget = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  namespace: 'default',
  name: 'a',
};
const CONFIGMAP: ObjectTarget = { ...WIDGET, group: '', resource: 'configmaps' };

/** Runs operations as `writer-1` and returns the requests that were sent. */
async function run(
  server: Upstream,
  ops: readonly ProgramOp[],
  more: Partial<ProgramContext> = {},
): Promise<{
  readonly sent: readonly string[];
  readonly done: readonly number[];
  readonly requests: readonly ApiRequest[];
}> {
  const sent: string[] = [];
  const requests: ApiRequest[] = [];
  const done: number[] = [];
  const upstream: Upstream = {
    send: (request, sink) => {
      requests.push(request);
      return server.send(request, {
        ...sink,
        answer: (answer) => {
          sent.push(`${request.method} ${request.path.replace(/^.*\/namespaces\/default\//, '')} ${answer.code}`);
          sink.answer(answer);
        },
      });
    },
  };
  await runProgram(
    { actor: 'writer-1', writer: 'test', ops },
    {
      upstream,
      resolveName: (target) => target.name,
      appears: () => Promise.resolve(),
      waits: () => Promise.resolve(),
      onOpDone: (index) => done.push(index),
      ended: () => false,
      ...more,
    },
  );
  return { sent, done, requests };
}

/** Calls `before` ahead of each request: it may change objects, or return an answer in place of the server's. */
function interfering(server: ApiServer, before: (request: ApiRequest) => ApiResponse | 'reset' | undefined): Upstream {
  return {
    send: (request, sink) => {
      const instead = before(request);
      if (instead === 'reset') sink.end({ code: 'ECONNRESET', message: 'socket hang up' });
      else if (instead !== undefined) sink.answer(instead);
      else return server.send(request, sink);
      return () => {};
    },
  };
}

function withWidget(spec: JsonObject = { size: 1 }, metadata: JsonObject = {}): TestServer {
  const made = testServer();
  made.request('POST', WIDGETS_PATH, widget('a', spec, metadata));
  return made;
}

function stored({ server }: TestServer, resource = 'widgets.example.com'): JsonObject | undefined {
  return server.object(resource, 'default', 'a');
}

describe('set', () => {
  const set = (via: 'update' | 'merge-patch' | 'json-patch', more: object = {}): ProgramOp => ({
    do: 'set',
    target: WIDGET,
    path: ['spec', 'size'],
    value: 5,
    via,
    ...more,
  });

  test('by update reads and writes under the version read', async () => {
    const made = withWidget();

    const { sent, done, requests } = await run(made.server, [set('update')]);

    expect(sent).toEqual(['GET widgets/a 200', 'PUT widgets/a 200']);
    expect(done).toEqual([0]);
    expect(requests[1]?.body).toMatchObject({ metadata: { resourceVersion: expect.any(String) } });
    expect(requests[1]?.headers['user-agent']).toBe('writer-1/test');
    expect(stored(made)).toMatchObject({ spec: { size: 5 } });
  });

  test.for(['merge-patch', 'json-patch'] as const)('by %s sends one request', async (via) => {
    const made = withWidget();

    expect((await run(made.server, [set(via)])).sent).toEqual(['PATCH widgets/a 200']);
    expect(stored(made)).toMatchObject({ spec: { size: 5 } });
  });

  test('writes nothing when the value is already there', async () => {
    expect((await run(withWidget({ size: 5 }).server, [set('update')])).sent).toEqual(['GET widgets/a 200']);
  });

  test.for(['update', 'merge-patch', 'json-patch'] as const)('removes a key with null by %s', async (via) => {
    const made = withWidget({ size: 1, note: 'x' });

    await run(made.server, [set(via, { path: ['spec', 'note'], value: null })]);

    expect(stored(made)).toMatchObject({ spec: { size: 1 } });
    expect(stored(made)?.['spec']).not.toHaveProperty('note');
  });

  test('gives up after a conflict', async () => {
    const made = withWidget();
    const upstream = interfering(made.server, (request) => {
      if (request.method !== 'PUT' || request.headers['user-agent'] === undefined) return undefined;
      made.request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 9 } }, MERGE);
      return undefined;
    });

    const { sent, done } = await run(upstream, [
      set('update'),
      set('merge-patch', { path: ['spec', 'note'], value: 'b' }),
    ]);

    expect(sent).toEqual(['GET widgets/a 200', 'PUT widgets/a 409', 'PATCH widgets/a 200']);
    expect(done).toEqual([0, 1]);
    expect(stored(made)).toMatchObject({ spec: { size: 9, note: 'b' } });
  });

  test.for([
    ['a reset', 'reset'],
    ['a server error', failure(503, 'ServiceUnavailable', 'later')],
  ] as const)('counts as done after %s', async ([, answer]) => {
    const upstream = interfering(withWidget().server, () => answer);

    expect((await run(upstream, [set('update'), set('merge-patch')])).done).toEqual([0, 1]);
  });

  test('writes status and scale through their subresources', async () => {
    const made = withWidget({ size: 1, replicas: 1 });

    const { sent } = await run(made.server, [
      set('update', { subresource: 'status', path: ['status', 'phase'], value: 'Fine' }),
      set('update', { subresource: 'scale', path: ['spec', 'replicas'], value: 3 }),
      set('merge-patch', { subresource: 'scale', path: ['spec', 'replicas'], value: 4 }),
    ]);

    expect(sent).toEqual([
      'GET widgets/a 200',
      'PUT widgets/a/status 200',
      'GET widgets/a/scale 200',
      'PUT widgets/a/scale 200',
      'PATCH widgets/a/scale 200',
    ]);
    expect(stored(made)).toMatchObject({ spec: { replicas: 4 }, status: { phase: 'Fine' } });
  });

  test.for(['update', 'merge-patch', 'json-patch'] as const)('keeps the other items of a list by %s', async (via) => {
    const made = withWidget({ parts: [{ name: 'x' }, { name: 'y' }] });

    await run(made.server, [set(via, { path: ['spec', 'parts', { name: 'y' }, 'count'], value: 7 })]);

    expect(stored(made)).toMatchObject({
      spec: {
        parts: [
          { name: 'x', count: 1 },
          { name: 'y', count: 7 },
        ],
      },
    });
  });

  test('has no effect on an object that is missing or not made yet', async () => {
    const made = testServer();
    const unborn = { ...CONFIGMAP, name: 'web/worker~0' };

    const { sent, done } = await run(made.server, [set('update'), set('update', { target: unborn })]);

    expect(sent).toEqual(['GET widgets/a 404']);
    expect(done).toEqual([0, 1]);
  });

  test('goes to the real name of a generated object', async () => {
    const made = withWidget();

    const { sent } = await run(made.server, [set('merge-patch', { target: { ...WIDGET, name: 'web/worker~0' } })], {
      resolveName: () => 'a',
      appears: () => Promise.resolve(),
    });

    expect(sent).toEqual(['PATCH widgets/a 200']);
  });
});

describe('append and remove-item', () => {
  const item = 'stalemate.dev/hold';
  const ops: readonly ProgramOp[] = [
    { do: 'append', target: WIDGET, path: ['metadata', 'finalizers'], item },
    { do: 'remove-item', target: WIDGET, path: ['metadata', 'finalizers'], item },
  ];

  test('leave the items of others alone', async () => {
    const made = withWidget({ size: 1 }, { finalizers: ['example.com/own'] });

    await run(made.server, ops.slice(0, 1));
    expect(stored(made)).toMatchObject({ metadata: { finalizers: ['example.com/own', item] } });

    await run(made.server, ops.slice(1));
    expect(stored(made)).toMatchObject({ metadata: { finalizers: ['example.com/own'] } });
  });

  test('remove-item tries again after conflicts and failures', async () => {
    const made = withWidget({ size: 1 }, { finalizers: [item] });
    let puts = 0;
    const upstream = interfering(made.server, ({ method }) => {
      if (method !== 'PUT') return undefined;
      puts++;
      if (puts === 1) return 'reset';
      if (puts === 2) return failure(500, 'InternalError', 'no');
      if (puts === 3) made.request('PATCH', `${WIDGETS_PATH}/a`, { spec: { size: 9 } }, MERGE);
      return undefined;
    });

    await run(upstream, ops.slice(1));

    expect(puts).toBe(4);
    expect(stored(made)?.['metadata']).not.toHaveProperty('finalizers');
  });
});

describe('create and delete', () => {
  test('create counts as done when the object exists', async () => {
    const made = withWidget();

    const { sent } = await run(made.server, [{ do: 'create', target: WIDGET, object: widget('a', { size: 2 }) }]);

    expect(sent).toEqual(['POST widgets 409']);
    expect(stored(made)).toMatchObject({ spec: { size: 1 } });
  });

  test('delete names the uid that it saw', async () => {
    const made = testServer();
    made.request('POST', CONFIGMAPS_PATH, configMap('a'));
    const upstream = interfering(made.server, ({ method }) => {
      if (method !== 'DELETE') return undefined;
      made.request('DELETE', `${CONFIGMAPS_PATH}/a`);
      made.request('POST', CONFIGMAPS_PATH, configMap('a', { another: 'one' }));
      return undefined;
    });

    const { sent } = await run(upstream, [{ do: 'delete', target: CONFIGMAP }]);

    expect(sent).toEqual(['GET configmaps/a 200', 'DELETE configmaps/a 409']);
    expect(stored(made, 'configmaps')).toMatchObject({ data: { another: 'one' } });
  });

  test('recreates at once what went at once', async () => {
    const made = withWidget();
    const before = made.server.object('widgets.example.com', 'default', 'a')?.metadata.uid;

    const { sent, done } = await run(made.server, [
      { do: 'delete', target: WIDGET, recreate: widget('a', { size: 2 }) },
    ]);

    expect(sent).toEqual(['GET widgets/a 200', 'DELETE widgets/a 200', 'POST widgets 201']);
    expect(done).toEqual([0]);
    expect(stored(made)).toMatchObject({ spec: { size: 2 } });
    expect(made.server.object('widgets.example.com', 'default', 'a')?.metadata.uid).not.toBe(before);
  });

  test('lets others act between looks while a finalizer holds the old object', async () => {
    const made = withWidget({ size: 1 }, { finalizers: ['example.com/own'] });
    let looks = 0;

    const { sent, done } = await run(
      made.server,
      [{ do: 'delete', target: WIDGET, recreate: widget('a', { size: 2 }) }],
      {
        onOpDone: () => {
          looks++;
          if (looks === 2) made.request('PATCH', `${WIDGETS_PATH}/a`, { metadata: { finalizers: null } }, MERGE);
        },
      },
    );

    expect(done).toEqual([]);
    expect(looks).toBe(3);
    expect(sent).toEqual([
      'GET widgets/a 200',
      'DELETE widgets/a 200',
      'GET widgets/a 200',
      'GET widgets/a 404',
      'POST widgets 201',
    ]);
  });

  test('does not wait for what another client has created again', async () => {
    const made = withWidget({ size: 1 }, { finalizers: ['example.com/own'] });

    const { sent } = await run(made.server, [{ do: 'delete', target: WIDGET, recreate: 'same' }], {
      onOpDone: () => {
        made.request('PATCH', `${WIDGETS_PATH}/a`, { metadata: { finalizers: null } }, MERGE);
        made.request('POST', WIDGETS_PATH, widget('a', { size: 3 }));
      },
    });

    expect(sent).toEqual(['GET widgets/a 200', 'DELETE widgets/a 200', 'GET widgets/a 200']);
    expect(stored(made)).toMatchObject({ spec: { size: 3 } });
  });

  test('stops looking when the object stays, after pauses that double', async () => {
    const made = withWidget({ size: 1 }, { finalizers: ['example.com/own'] });
    const pauses: number[] = [];

    const { sent } = await run(made.server, [{ do: 'delete', target: WIDGET, recreate: widget('a') }], {
      pause: (ms) => Promise.resolve(void pauses.push(ms)),
    });

    expect(pauses).toEqual([25, 50, 100, 200, 400, 800]);

    expect(sent).toHaveLength(12);
    expect(sent.at(-1)).toBe('GET widgets/a 200');
  });
});

test('gives an owner that is named without a uid the uid of the object applied before', async () => {
  const made = testServer();
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: '' };
  const create = (target: ObjectTarget, object: KubeObject): ProgramOp => ({ do: 'create', target, object });

  const { sent } = await run(made.server, [
    create(CONFIGMAP, configMap('b')),
    create(WIDGET, widget('a', { size: 1 }, { ownerReferences: [owner] })),
  ]);

  const uid = made.server.object('configmaps', 'default', 'b')?.metadata.uid;
  expect(sent).toEqual(['POST configmaps 201', 'POST widgets 201']);
  expect(uid).toMatch(/./);
  expect(stored(made)).toMatchObject({ metadata: { ownerReferences: [{ ...owner, uid }] } });
});

test('starts no further operation once contention has ended', async () => {
  const made = withWidget();
  let over = false;
  const ops: readonly ProgramOp[] = [1, 2].map((value) => ({
    do: 'set',
    target: WIDGET,
    path: ['spec', 'size'],
    value: value + 5,
    via: 'merge-patch',
  }));

  const { sent } = await run(made.server, ops, { ended: () => over, onOpDone: () => (over = true) });

  expect(sent).toEqual(['PATCH widgets/a 200']);
});
