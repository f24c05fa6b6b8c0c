import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { WIDGETS_PATH } from 'stalemate-apiserver/testing';
import { createQuiescence } from '../../determinism/quiescence.ts';
import { Random } from '../../determinism/random.ts';
import { installVirtualTime } from '../../determinism/virtual-time.ts';
import { captureConsole } from './console-capture.ts';
import type { LoadedTarget, StartTarget } from './load-target.ts';
import { installProcessGuard } from './process-guard.ts';
import { startIncarnation } from './target-incarnation.ts';
import type { TargetIncarnation } from './target-incarnation.ts';
import { WIDGETS, widgetServer } from './test-upstream.ts';
import type { WidgetServer } from './test-upstream.ts';

const time = installVirtualTime();
const clientNode = await import('@kubernetes/client-node');
const quiescence = createQuiescence({ time, activity: () => test.upstream.activity, quietTurns: 0 });
const drain = (): Promise<void> => quiescence.drain();
const lines: string[] = [];

// The test runner fails on every unhandled error, but these tests cause such errors on purpose, so its listeners are removed.
const runnersOwn = ['unhandledRejection', 'uncaughtException'].map((event) => {
  const listeners = process.rawListeners(event) as ((...args: unknown[]) => void)[];
  process.removeAllListeners(event);
  return { event, listeners };
});
const guard = installProcessGuard({ time, onUnowned: (error) => events.push(`unowned ${String(error)}`) });
const consoles = captureConsole(time, (actor, line) => lines.push(`${actor}: ${line}`));

let test: WidgetServer = widgetServer();
let events: string[] = [];

beforeEach(() => {
  test = widgetServer();
  events = [];
  lines.length = 0;
  time.reset({ startMs: 0, random: new Random(1) });
});
afterAll(() => {
  consoles.uninstall();
  guard.uninstall();
  time.uninstall();
  for (const { event, listeners } of runnersOwn) for (const listener of listeners) process.on(event, listener);
});

async function launch(start: StartTarget, actor = 'controller'): Promise<TargetIncarnation> {
  const target: LoadedTarget = { module: 'target.ts', start, clientNode };
  const host = { target, time, guard, transport: 'http-library', namespace: 'default' } as const;
  const incarnation = startIncarnation(host, actor, test.upstream, (kind, detail) =>
    events.push(`${kind} ${detail}`.trim()),
  );
  await drain();
  return incarnation;
}

/** Counts the widgets every second and writes the count to the first one. */
const counting: StartTarget = ({ kubeConfig, namespace }) => {
  const api = kubeConfig.makeApiClient(clientNode.CustomObjectsApi);
  const tick = async (): Promise<void> => {
    const { items } = (await api.listNamespacedCustomObject({ ...WIDGETS, namespace })) as {
      items: { metadata: object }[];
    };
    const [first] = items;
    await api.replaceNamespacedCustomObject({
      ...WIDGETS,
      name: 'a',
      body: { ...first, spec: { size: items.length } },
    });
  };
  const timer = setInterval(() => void tick(), 1_000);
  return { stop: () => clearInterval(timer) };
};

describe('a start', () => {
  it('is told once it has returned or its promise has resolved', async () => {
    await launch(() => {});
    await launch(async () => {
      await Promise.resolve();
      return { stop: () => {} };
    });

    expect(events).toEqual(['started', 'started']);
  });

  it('is told as failed when it throws or rejects', async () => {
    await launch(() => {
      throw new TypeError('no CRD');
    });
    await launch(() => Promise.reject(new Error('no lease')));

    expect(events[0]).toMatch(
      /^start-failed TypeError: no CRD at harness\/actors\/in-process\/target-incarnation\.test\.ts:\d+$/,
    );
    expect(events[1]).toMatch(/^start-failed Error: no lease/);
  });

  it('gets a namespace and a signal that is not aborted', async () => {
    const got: unknown[] = [];
    await launch(({ namespace, signal }) => void got.push(namespace, signal.aborted));

    expect(got).toEqual(['default', false]);
  });
});

describe('a crash', () => {
  it('cuts requests, answers and timers for ever, while another incarnation goes on', async () => {
    test.create('a', 0);
    test.create('b', 0);
    const first = await launch(counting);
    time.advanceToNext();
    await drain();
    expect(test.request('GET', `${WIDGETS_PATH}/a`).object['spec']).toMatchObject({ size: 2 });

    test.upstream.holding = true;
    time.advanceToNext();
    await drain();
    const requests = test.upstream.requests.length;
    first.crash();
    test.upstream.release();
    await drain();
    expect(test.upstream.requests.length).toBe(requests);
    expect(time.next()).toBeUndefined();

    await launch(counting, 'controller~2');
    expect(time.next()?.owner).toBe('controller~2');
    time.advanceToNext();
    await drain();
    expect(test.upstream.requests.length).toBeGreaterThan(requests);
  });

  it('before the start has begun keeps it from beginning', async () => {
    let started = false;
    const target: LoadedTarget = { module: '', start: () => void (started = true), clientNode };
    const host = { target, time, guard, transport: 'http-library', namespace: 'default' } as const;

    startIncarnation(host, 'controller', test.upstream, (kind) => events.push(kind)).crash();
    await drain();

    expect([started, events]).toEqual([false, []]);
  });

  it('silences what fails afterwards', async () => {
    let wake: () => void = () => {};
    const later = new Promise<void>((resolve) => (wake = resolve));
    const incarnation = await launch(async () => {
      void later.then(() => Promise.reject(new Error('after the end')));
      await Promise.resolve();
    });
    incarnation.crash();
    wake();
    await drain();

    expect(events).toEqual(['started']);
  });
});

describe('a stop', () => {
  it('aborts the signal, then calls the returned stop, then cuts', async () => {
    const order: string[] = [];
    const incarnation = await launch(({ signal }) => {
      signal.addEventListener('abort', () => order.push('aborted'));
      setTimeout(() => order.push('fired'), 10);
      return { stop: () => order.push('stopped') };
    });

    incarnation.stop();
    incarnation.stop();
    await drain();

    expect(order).toEqual(['aborted', 'stopped']);
    expect(time.next()).toBeUndefined();
  });
});

describe('what a target does to its process', () => {
  it('is told as unhandled: a rejection, and an exception of a timer or an immediate', async () => {
    await launch(() => {
      void Promise.reject(new Error('nobody awaits'));
      setImmediate(() => {
        throw new Error('from an immediate');
      });
      setTimeout(() => {
        throw new Error('from a timer');
      }, 10);
    });
    time.advanceToNext();
    await drain();
    await drain();

    expect(events.map((line) => line.replace(/ at .*/, ''))).toEqual([
      'started',
      'unhandled Error: nobody awaits',
      'unhandled Error: from an immediate',
      'unhandled Error: from a timer',
    ]);
  });

  it('is told in one line, with the line of its own code', async () => {
    await launch(() => void Promise.reject(new Error('HTTP-Code: 429\nBody: {}')));
    await drain();

    expect(events[1]).toMatch(/^unhandled Error: HTTP-Code: 429 at .*target-incarnation\.test\.ts:\d+$/);
  });

  it('is told as an exit, and the code after it does not run', async () => {
    let after = false;
    await launch(() => {
      setTimeout(() => {
        process.exit(3);
        after = true;
      }, 10);
      setTimeout(() => process.kill(process.pid, 'SIGTERM'), 20);
    });
    for (let timer = 0; timer < 2; timer++) {
      time.advanceToNext();
      await drain();
    }

    expect(after).toBe(false);
    expect(events).toEqual(['started', 'exited process.exit(3)', 'exited process.kill(process.pid, SIGTERM)']);
  });

  it('leaves no listeners behind, and a listener of its own decides for it', async () => {
    const before = process.listenerCount('SIGTERM') + process.listenerCount('unhandledRejection');
    const caught: unknown[] = [];
    const incarnation = await launch(() => {
      process.once('SIGTERM', () => {});
      process.on('unhandledRejection', (error) => caught.push((error as Error).message));
      void Promise.reject(new Error('its own business'));
    });
    await drain();
    expect([caught, events]).toEqual([['its own business'], ['started']]);

    incarnation.crash();
    expect(process.listenerCount('SIGTERM') + process.listenerCount('unhandledRejection')).toBe(before);
  });

  it('is printed to whoever captures it, line by line, until it is dead', async () => {
    const incarnation = await launch(() => {
      process.stdout.write('one\ntwo\n');
      setImmediate(() => process.stderr.write('three\n'));
    });
    incarnation.crash();
    time.runAs('writer', () => process.stdout.write('four\n'));

    expect(lines).toEqual(['controller: one', 'controller: two', 'controller: three', 'writer: four']);
  });
});
