/**
 * What all controllers here have in common: how they are started, and the order in which their parts come up and go down.
 *
 * Owns: the shape of `start` and of its result. Does not own: caches (`informer.ts`), retries (`work-queue.ts`).
 */
import type { KubeConfig } from '@kubernetes/client-node';
import type { WorkQueue } from './work-queue.ts';

/** What whoever runs a controller hands to it. */
export interface ControllerContext {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Where services outside the cluster are, for controllers that keep something there. */
  readonly effects?: Effects;
}

export interface Effects {
  /** Base address. */
  readonly url: string;
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

export interface RunningController {
  stop(): void;
}

interface Part {
  readonly synced: Promise<void>;
  stop(): void;
}

/** Waits until all caches are filled, then lets the queue work; before that a missing object would look like a deleted one. */
export async function runController(
  { signal }: ControllerContext,
  queue: WorkQueue,
  caches: readonly Part[],
): Promise<RunningController> {
  const stop = (): void => {
    queue.stop();
    for (const cache of caches) cache.stop();
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  await Promise.all(caches.map((cache) => cache.synced));
  queue.start();
  return { stop };
}
