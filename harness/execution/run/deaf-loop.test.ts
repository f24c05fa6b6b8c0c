/** Tests a target whose watch of the owner is broken: until the watch is back, the target recreates what the garbage collector deletes. */
import { describe, expect, it } from 'vitest';
import { CONFIGMAPS_PATH, WIDGETS_PATH } from 'stalemate-apiserver/testing';
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { Upstream } from 'stalemate-apiserver/wire/http';
import type { Settlement } from '../../model/history.ts';
import { EMPTY_SCHEDULE, type Fault } from '../../model/schedule.ts';
import type { Launch } from './host.ts';
import { runnerOf, SAMPLE, sender, time, WIDGET, workload, type Send } from './testing.ts';

/** The pause in ms before a client reopens a watch, unless it gives up. */
const AGAIN_MS = 1_000;

/** Launches a target that creates a config map for each widget in its cache and recreates it whenever it is deleted. */
function maker(rewatches: boolean): Launch {
  return (actor, upstream, tell) => {
    const send = sender(upstream);
    const cache = new Map<string, KubeObject>();
    const reconcile = (): void => {
      for (const { apiVersion, kind, metadata } of cache.values()) {
        const { name = '', uid = '' } = metadata;
        const ownerReferences = [{ apiVersion, kind, name, uid, controller: true }];
        const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `${name}-child`, ownerReferences } };
        void send('POST', CONFIGMAPS_PATH, child).catch(() => {});
      }
    };
    time.runAs(actor, () => {
      void follow(actor, upstream, send, WIDGETS_PATH, {
        listed: (items) => {
          cache.clear();
          for (const item of items) cache.set(item.metadata.uid ?? '', item);
          reconcile();
        },
        event: (type, object) => {
          if (type === 'DELETED') cache.delete(object.metadata.uid ?? '');
          else cache.set(object.metadata.uid ?? '', object);
          reconcile();
        },
        rewatches,
      });
      void follow(actor, upstream, send, CONFIGMAPS_PATH, {
        listed: () => {},
        event: (type) => {
          if (type === 'DELETED') reconcile();
        },
        rewatches,
      });
    });
    tell('started', '');
    return { crash: () => time.dropOwner(actor) };
  };
}

interface Handler {
  readonly listed: (items: readonly KubeObject[]) => void;
  readonly event: (type: string, object: KubeObject) => void;
  readonly rewatches: boolean;
}

async function follow(actor: string, upstream: Upstream, send: Send, path: string, handler: Handler): Promise<void> {
  const list = await send('GET', path);
  const { items, metadata } = list.body as { readonly items: readonly KubeObject[]; readonly metadata: JsonObject };
  handler.listed(items);
  const query = { watch: 'true', resourceVersion: metadata['resourceVersion'] as string };
  upstream.send(
    { method: 'GET', path, query, headers: {} },
    {
      answer: () => {},
      open: () => {},
      event: ({ type, object }) => time.runAs(actor, () => handler.event(type, object as KubeObject)),
      end: () => {
        if (!handler.rewatches) return;
        time.runAs(actor, () => setTimeout(() => void follow(actor, upstream, send, path, handler), AGAIN_MS));
      },
    },
  );
}

async function settlementOf(rewatches: boolean): Promise<Settlement['result']> {
  const runner = runnerOf(maker(rewatches));
  const gone: Fault = {
    do: 'close-watch',
    at: `controller/watch/widgets.example.com/default#0/${SAMPLE.metadata.name ?? ''}@0`,
  };
  const programs = [{ actor: 'user', writer: 'user', ops: [{ do: 'delete' as const, target: WIDGET }] }];
  const schedule = { ...EMPTY_SCHEDULE, faults: [gone] };
  const { settlement, missed } = await runner.run({ workload: workload(programs), schedule });
  expect(missed).toEqual([]);
  return settlement.result;
}

describe('making again what is collected, while the watch of the owner is down', () => {
  it('comes to rest once the watch is back', async () => {
    expect(await settlementOf(true)).toBe('quiescent');
  });

  it('never does where the watch does not come back', async () => {
    expect(await settlementOf(false)).toBe('hot-instant');
  });
});
