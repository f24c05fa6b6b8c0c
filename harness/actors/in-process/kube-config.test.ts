import type { CustomObjectsApi, KubeConfig, KubernetesObject } from '@kubernetes/client-node';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, configMap, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { createInProcessKubeConfig } from 'stalemate-apiserver/client-node/kube-config';
import { calibrateQuietTurns } from '../../determinism/calibrate.ts';
import { createQuiescence } from '../../determinism/quiescence.ts';
import { Random } from '../../determinism/random.ts';
import { watchUncontrolled } from '../../determinism/uncontrolled.ts';
import { installVirtualTime } from '../../determinism/virtual-time.ts';
import { WIDGETS, widgetServer } from './test-upstream.ts';
import type { WidgetServer } from './test-upstream.ts';

const time = installVirtualTime();
const clientNode = await import('@kubernetes/client-node');
const quiescence = createQuiescence({ time, activity: () => test.upstream.activity, quietTurns: 0 });
const drain = (): Promise<void> => quiescence.drain();

let test: WidgetServer = widgetServer();

beforeEach(() => {
  test = widgetServer();
  time.reset({ startMs: 0, random: new Random(1) });
});
afterAll(() => time.uninstall());

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
}

describe.each(['http-library', 'dispatcher'] as const)('client-node over %s', (transport) => {
  function connect(): KubeConfig {
    return createInProcessKubeConfig({ clientNode, upstream: test.upstream, transport, namespace: 'default' });
  }

  function widgetsApi(): CustomObjectsApi {
    return connect().makeApiClient(clientNode.CustomObjectsApi);
  }

  /** Starts an informer as the controller, and records the events and errors that it receives. */
  function informWidgets(): { readonly seen: string[]; readonly errors: unknown[]; stop(): void; restart(): void } {
    const kubeConfig = connect();
    const api = kubeConfig.makeApiClient(clientNode.CustomObjectsApi);
    const informer = clientNode.makeInformer<Widget>(kubeConfig, WIDGETS_PATH, () =>
      api.listNamespacedCustomObject(WIDGETS),
    );
    const seen: string[] = [];
    const errors: unknown[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) {
      informer.on(verb, (object) => seen.push(`${verb} ${object.metadata?.name}=${object.spec.size}`));
    }
    informer.on('error', (error) => errors.push(error));
    const start = (): void => time.runAs('controller', () => void informer.start());
    start();
    return { seen, errors, stop: () => void informer.stop(), restart: start };
  }

  it('lists, watches and tells each event before the next turn ends', async () => {
    test.create('a', 1);
    const { seen } = informWidgets();
    await drain();
    expect(seen).toEqual(['add a=1']);

    test.create('b', 2);
    await drain();
    expect(seen.at(-1)).toBe('add b=2');

    test.resize('a', 3);
    test.resize('b', 4);
    await drain();
    expect(seen.slice(2)).toEqual(['update a=3', 'update b=4']);

    test.request('DELETE', `${WIDGETS_PATH}/a`);
    await drain();
    expect(seen.at(-1)).toBe('delete a=3');
  });

  it('reconnects after the end of a watch, from where it was, once its back-off is over', async () => {
    test.create('a', 1);
    const { seen } = informWidgets();
    await drain();

    test.upstream.open.at(-1)?.end();
    await drain();
    test.upstream.open.at(-1)?.end();
    test.resize('a', 2);
    await drain();
    expect(seen).toEqual(['add a=1']);
    expect(time.next()).toMatchObject({ owner: 'controller', atMs: 1_000 });

    time.advanceToNext();
    await drain();
    expect(seen).toEqual(['add a=1', 'update a=2']);
    expect(test.upstream.requests.filter((request) => request.query['watch'] === 'true')).toHaveLength(3);
  });

  it('lists anew when the watch ends with 410', async () => {
    const { seen } = informWidgets();
    await drain();
    const sink = test.upstream.open.at(-1);
    sink?.event({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    sink?.end();
    test.create('a', 1);
    await drain();
    time.advanceToNext();
    await drain();

    expect(seen).toEqual(['add a=1']);
  });

  it('reports a broken watch as fetch does, and a broken request too', async () => {
    const { errors } = informWidgets();
    await drain();
    test.upstream.open.at(-1)?.end({ code: 'ECONNRESET', message: '' });
    await drain();
    expect(errors).toMatchObject([{ name: 'TypeError', message: 'terminated', cause: { code: 'ECONNRESET' } }]);

    const refused = createInProcessKubeConfig({
      clientNode,
      transport,
      namespace: 'default',
      upstream: {
        send: (_request, sink) => {
          sink.end({ code: 'ECONNREFUSED', message: '' });
          return () => {};
        },
      },
    });
    const error = await refused
      .makeApiClient(clientNode.CoreV1Api)
      .listNamespace()
      .catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED', syscall: 'connect' },
    });
  });

  it('tells the upstream when a watch is stopped, and starts again from a fresh list', async () => {
    const informer = informWidgets();
    await drain();
    informer.stop();
    await drain();
    expect([test.upstream.aborts, test.upstream.open.length]).toEqual([1, 0]);

    test.create('late', 9);
    informer.restart();
    await drain();
    expect(informer.seen).toEqual(['add late=9']);
  });

  it('gives no answer before the upstream does', async () => {
    test.create('a', 1);
    test.upstream.holding = true;
    let answered: unknown;
    void widgetsApi()
      .getNamespacedCustomObject({ ...WIDGETS, name: 'a' })
      .then((object) => (answered = object));

    await drain();
    expect([test.upstream.requests.length, answered]).toEqual([1, undefined]);

    test.upstream.release();
    await drain();
    expect(answered).toMatchObject({ metadata: { name: 'a' } });
  });

  it('gives every reader an object of its own', async () => {
    test.create('a', 1);
    const api = widgetsApi();
    const first = (await api.getNamespacedCustomObject({ ...WIDGETS, name: 'a' })) as { spec: { size: number } };
    first.spec.size = 99;

    expect(await api.getNamespacedCustomObject({ ...WIDGETS, name: 'a' })).toMatchObject({ spec: { size: 1 } });
    expect(test.request('GET', `${WIDGETS_PATH}/a`).object['spec']).toMatchObject({ size: 1 });
  });

  it('passes bodies, content types and queries as a server reads them', async () => {
    test.request('POST', CONFIGMAPS_PATH, configMap('settings', { key: 'old' }));
    const core = connect().makeApiClient(clientNode.CoreV1Api);

    const patched = await core.patchNamespacedConfigMap(
      { namespace: 'default', name: 'settings', body: { data: { key: 'grüße' } }, fieldManager: 'a b&c' },
      clientNode.setHeaderOptions('Content-Type', clientNode.PatchStrategy.MergePatch),
    );

    expect(patched.data).toEqual({ key: 'grüße' });
    expect(test.upstream.requests.at(-1)).toMatchObject({
      method: 'PATCH',
      path: `${CONFIGMAPS_PATH}/settings`,
      query: { fieldManager: 'a b&c' },
      headers: { 'content-type': 'application/merge-patch+json', 'user-agent': 'kubernetes-client-javascript/2.0.1' },
      body: { data: { key: 'grüße' } },
    });
  });

  it('throws refusals as ApiException with the Status as text', async () => {
    test.create('a', 1);
    const api = widgetsApi();
    const stale = (await api.getNamespacedCustomObject({ ...WIDGETS, name: 'a' })) as KubernetesObject;
    test.resize('a', 2);

    const refusal = await api
      .replaceNamespacedCustomObject({ ...WIDGETS, name: 'a', body: stale })
      .catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(clientNode.ApiException);
    const { code, body } = refusal as { code: number; body: string };
    expect([code, (JSON.parse(body) as { reason: string }).reason]).toEqual([409, 'Conflict']);
  });

  it('finds kinds by discovery and uses the current context', async () => {
    const kubeConfig = connect();
    const objects = clientNode.KubernetesObjectApi.makeApiClient(kubeConfig);

    await objects.create({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'found' } });

    expect(test.server.object('widgets.example.com', 'default', 'found')).toBeDefined();
    expect(kubeConfig.getContextObject(kubeConfig.getCurrentContext())?.namespace).toBe('default');
  });

  it('aborts a single request with its signal', async () => {
    test.upstream.holding = true;
    const controller = new AbortController();
    const request = connect()
      .makeApiClient(clientNode.CoreV1Api)
      .listNamespace(
        {},
        {
          middleware: [
            {
              pre: (context) => {
                context.setSignal(controller.signal);
                return new clientNode.Observable(Promise.resolve(context));
              },
              post: (response) => new clientNode.Observable(Promise.resolve(response)),
            },
          ],
          middlewareMergeStrategy: 'append',
        },
      )
      .catch((error: unknown) => (error as Error).name);
    await drain();

    controller.abort();

    expect(await request).toBe('AbortError');
    expect(test.upstream.aborts).toBe(1);
  });

  it('needs no extra turn to come to rest and does nothing uncontrolled', async () => {
    const exercise = async (): Promise<void> => {
      test.create('a', 1);
      const informer = informWidgets();
      await drain();
      for (let size = 2; size < 5; size++) {
        test.resize('a', size);
        await drain();
        void time.runAs('controller', () => widgetsApi().getNamespacedCustomObject({ ...WIDGETS, name: 'a' }));
        await drain();
      }
      test.upstream.open.at(-1)?.end();
      await drain();
      time.advanceToNext();
      await drain();
      informer.stop();
      await drain();
      test.request('DELETE', `${WIDGETS_PATH}/a`);
    };
    await exercise(); // The first call triggers lazy imports.

    const watch = watchUncontrolled(time);
    await exercise();
    const uncontrolled = watch.stop();
    const quietTurns = await calibrateQuietTurns(quiescence, exercise);

    expect(uncontrolled).toEqual([]);
    expect(quietTurns).toBe(0);
  });
});
