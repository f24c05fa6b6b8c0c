/**
 * What all controllers here share: how they are started, and the order in which their parts start and stop.
 *
 * Owns: the signature and the result of `start`. Does not own: caches (`informer.ts`), retries (`work-queue.ts`).
 */
import type { KubeConfig } from '@kubernetes/client-node';
import type { WorkQueue } from './work-queue.ts';

/** What a controller gets from its caller. */
export interface ControllerContext {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** The service outside of the cluster, for controllers that manage something there. */
  readonly effects?: Effects;
}

export interface Effects {
  /** Base URL. */
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

/** Starts the queue after all caches are filled: before that, a missing object would look like a deleted one. */
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
