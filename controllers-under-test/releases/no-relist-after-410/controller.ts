/**
 * Wrong: its own watch loop lists only once, at the start.
 *
 * When the server answers that the resourceVersion is too old (410), it would have to list again. Instead the loop ends, and the cache is
 * never updated again.
 */
import { type KubernetesObject, Watch } from '@kubernetes/client-node';
import { backoffMs } from '../../lib/backoff.ts';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import type { Cache, CacheOptions } from '../../lib/informer.ts';
import { sleep } from '../../lib/retry.ts';
import { runReleases } from '../common/run.ts';
import { report, rollOut } from '../correct/controller.ts';

const BACKOFF = { baseMs: 100, maxMs: 10_000 };

export function follow<T extends KubernetesObject>({ kubeConfig, path, list, onChange }: CacheOptions<T>): Cache<T> {
  const objects = new Map<string, T>();
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  let connection: AbortController | undefined;
  let stopped = false;

  async function run(): Promise<void> {
    let version = await fill();
    resolve();
    for (let failures = 0; !stopped; failures++) {
      const end = await watchFrom(version);
      if (end.expired) return;
      if (end.version !== version) failures = 0;
      version = end.version;
      await sleep(backoffMs(failures, BACKOFF));
    }
  }

  async function fill(): Promise<string> {
    for (let failures = 0; ; failures++) {
      try {
        const { items, metadata } = await list();
        for (const item of items) apply('ADDED', item);
        return metadata?.resourceVersion ?? '';
      } catch {
        await sleep(backoffMs(failures, BACKOFF));
      }
    }
  }

  /** Runs one watch until it ends; returns the last resourceVersion, and whether it had expired. */
  async function watchFrom(resourceVersion: string): Promise<{ version: string; expired: boolean }> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let version = resourceVersion;
    let expired = false;
    const receive = (type: string, object: T): void => {
      if (type === 'ERROR') {
        expired = true;
        return;
      }
      version = object.metadata?.resourceVersion ?? version;
      if (type !== 'BOOKMARK') apply(type, object);
    };
    connection = await new Watch(kubeConfig).watch(path, { resourceVersion }, receive, () => end());
    await ended;
    return { version, expired };
  }

  function apply(type: string, object: T): void {
    const name = object.metadata?.name ?? '';
    if (type === 'DELETED') objects.delete(name);
    else objects.set(name, object);
    onChange(object, type === 'DELETED' ? 'delete' : 'update');
  }

  void run();
  return {
    synced,
    get: (name) => objects.get(name),
    list: () => [...objects.values()],
    stop: () => {
      stopped = true;
      connection?.abort();
    },
  };
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runReleases(context, { rollOut, report, follow });
}
