/** The claim on which all determinism rests: a seed gives the same run, whatever ran before it and whenever the garbage collector runs. */
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubernetesObject } from '@kubernetes/client-node';
import { afterAll, describe, expect, it } from 'vitest';
import { WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { createQuiescence } from '../../determinism/quiescence.ts';
import { Random } from '../../determinism/random.ts';
import { installVirtualTime } from '../../determinism/virtual-time.ts';
import type { Transport } from '../../model/counterexample.ts';
import type { LoadedTarget, StartTarget } from './load-target.ts';
import { installProcessGuard } from './process-guard.ts';
import { startIncarnation } from './target-incarnation.ts';
import { BreakableUpstream, WIDGETS, widgetServer } from './test-upstream.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const time = installVirtualTime();
const clientNode = await import('@kubernetes/client-node');
const guard = installProcessGuard({
  time,
  onUnowned: (error) => {
    throw error;
  },
});
afterAll(() => {
  guard.uninstall();
  time.uninstall();
});

interface Widget extends KubernetesObject {
  readonly spec: { readonly size: number };
}

/** Reacts to widgets with delays, random names and dates, two informers and overlapping requests. */
const restless: StartTarget = ({ kubeConfig, namespace, signal }) => {
  const widgets = kubeConfig.makeApiClient(clientNode.CustomObjectsApi);
  const core = kubeConfig.makeApiClient(clientNode.CoreV1Api);
  const reconcile = async (widget: Widget): Promise<void> => {
    await delay(Math.floor(Math.random() * 40));
    await Promise.allSettled([
      core.createNamespacedConfigMap({
        namespace,
        body: { metadata: { name: `w-${crypto.randomUUID().slice(0, 8)}` }, data: { at: new Date().toISOString() } },
      }),
      widgets.replaceNamespacedCustomObjectStatus({
        ...WIDGETS,
        name: widget.metadata?.name ?? '',
        body: { ...widget, status: { note: `${performance.now()}` } },
      }),
    ]);
  };
  const onWidgets = clientNode.makeInformer<Widget>(kubeConfig, WIDGETS_PATH, () =>
    widgets.listNamespacedCustomObject(WIDGETS),
  );
  const onMaps = clientNode.makeInformer(kubeConfig, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  );
  onWidgets.on('add', (widget) => void reconcile(widget));
  onWidgets.on('update', (widget) => {
    if (Math.random() < 0.3) void reconcile(widget);
  });
  for (const informer of [onWidgets, onMaps]) {
    informer.on('error', () => setTimeout(() => void informer.start(), 500));
    void informer.start();
    signal.addEventListener('abort', () => void informer.stop());
  }
};

/** Makes one run of 120 steps in a random order; returns each request of the target with its time. */
async function run(transport: Transport, seed: number): Promise<readonly string[]> {
  const target: LoadedTarget = { module: '', start: restless, clientNode };
  const test = widgetServer();
  const upstream = new BreakableUpstream(test.server);
  const quiescence = createQuiescence({ time, activity: () => upstream.activity, quietTurns: 0 });
  const random = new Random(seed);
  time.reset({ startMs: 0, random: random.child('target') });
  upstream.holding = true;
  const events: string[] = [];
  const host = { target, time, guard, transport, namespace: 'default' };
  const incarnation = startIncarnation(host, 'controller', upstream, (kind) => events.push(kind));
  const log: string[] = [];
  for (let step = 0; step < 120; step++) {
    await quiescence.drain();
    for (const { method, path, query, body } of upstream.requests.splice(0)) {
      log.push(`${time.now()} ${method} ${path} ${JSON.stringify(query)} ${JSON.stringify(body)}`);
    }
    if (random.int(100) === 0) collectGarbage();
    if (random.int(25) === 0) upstream.open[random.int(upstream.open.length)]?.end({ code: 'ECONNRESET', message: '' });
    if (step % 20 === 0) test.create(`w${step}`, 1);
    else if (random.int(4) === 0) time.advanceToNext();
    else upstream.releaseOne(random.int(upstream.held.length));
  }
  if (seed % 2 === 0) incarnation.stop();
  else incarnation.crash();
  await quiescence.drain();
  return [...events, ...log];
}

describe.each(['http-library', 'dispatcher'] as const)('over %s', (transport) => {
  it('runs of one seed are equal, whatever ran in between; runs of two seeds are not', async () => {
    const seeds = Array.from({ length: 8 }, (_, index) => index);
    const first: (readonly string[])[] = [];
    for (const seed of seeds) first.push(await run(transport, seed));
    const again: (readonly string[])[] = [];
    for (const seed of [...seeds].reverse()) again.unshift(await run(transport, seed));

    expect(again).toEqual(first);
    expect(new Set(first.map((log) => log.join('\n'))).size).toBe(seeds.length);
    expect(Math.min(...first.map((log) => log.length))).toBeGreaterThan(15);
  });
});
