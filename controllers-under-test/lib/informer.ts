/**
 * An informer that restarts after errors.
 *
 * client-node's informer stops on any error other than a 410, so it is restarted here, with back-off while it keeps failing. The type of a
 * change is only a hint: names are reused, a relist combines changes, and after a restart every object is an "add". Handlers must not
 * throw: that would end the process. Cached objects belong to the informer: read or copy them, never edit them.
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
  /** The path of the collection, for example `/api/v1/namespaces/default/pods`. */
  readonly path: string;
  readonly list: () => Promise<KubernetesListObject<T>>;
  /** Called with every object that is added, changed or deleted; a relist may combine several changes. */
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

/** Starts an informer for a collection. */
export function follow<T extends KubernetesObject>({ kubeConfig, path, list, onChange }: CacheOptions<T>): Cache<T> {
  const { promise: synced, resolve } = Promise.withResolvers<void>();
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let stopped = false;

  const informer = makeInformer<T>(kubeConfig, path, async () => {
    const answer = await list();
    failures = 0;
    // The informer stores the items in the microtasks that follow this one.
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

  /** If `stop` is called during the list, the informer still opens its watch, and must be stopped again. */
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
