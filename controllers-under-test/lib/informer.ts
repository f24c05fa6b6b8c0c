/**
 * An informer that stays alive.
 *
 * client-node's informer stops for good on any error other than 410, so it is started again here, later and later while it keeps
 * failing. What kind of change a handler hears of is a hint at best: names are reused, relists skip steps, a restart makes everything
 * new. Handlers must not throw: that would end the process. Objects in the cache are the informer's own: read them, copy them, never edit them.
 */
import {
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  makeInformer,
} from '@kubernetes/client-node';
import { backoffMs } from './backoff.ts';

const BACKOFF = { baseMs: 100, maxMs: 10_000 };

export interface CacheOptions<T extends KubernetesObject> {
  readonly kubeConfig: KubeConfig;
  /** The collection, as in `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly list: () => Promise<KubernetesListObject<T>>;
  /** Told every object that appears, changes or goes; a relist may report several changes as one. */
  readonly onChange: (object: T, how: Change) => void;
}

export type Change = 'add' | 'update' | 'delete';

export interface Cache<T extends KubernetesObject> {
  /** Resolves once the first list is in the cache. */
  readonly synced: Promise<void>;
  get(name: string, namespace: string): T | undefined;
  list(namespace: string): readonly T[];
  stop(): void;
}

/** Starts to follow a collection. */
export function follow<T extends KubernetesObject>({ kubeConfig, path, list, onChange }: CacheOptions<T>): Cache<T> {
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const informer = makeInformer<T>(kubeConfig, path, async () => {
    const answer = await list();
    failures = 0;
    // The informer takes the items over in the microtasks that follow this one.
    setImmediate(resolve);
    return answer;
  });
  const tell = (how: Change) => (object: T) => {
    failures = 0;
    onChange(object, how);
  };
  informer.on('add', tell('add'));
  informer.on('update', tell('update'));
  informer.on('delete', tell('delete'));
  informer.on('error', startLater);

  function start(): void {
    informer.start().then(stopIfLate, startLater);
  }

  /** A stop that arrives while the list is under way does not keep the informer from opening its watch. */
  async function stopIfLate(): Promise<void> {
    if (stopped) await informer.stop();
  }

  function startLater(): void {
    if (stopped || retry !== undefined) return;
    retry = setTimeout(
      () => {
        retry = undefined;
        start();
      },
      backoffMs(failures++, BACKOFF),
    );
  }

  function stop(): void {
    stopped = true;
    clearTimeout(retry);
    void informer.stop();
  }

  start();
  return { synced, get: (name, namespace) => informer.get(name, namespace), list: (ns) => informer.list(ns), stop };
}
