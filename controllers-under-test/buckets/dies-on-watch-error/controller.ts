/**
 * Wrong: it uses client-node's informer without restarting it.
 *
 * The informer reconnects after a clean close and lists again after a 410, but any other error (a reset connection, a 500) stops it: the
 * cache is never updated again, and no error is reported.
 */
import { type KubernetesObject, makeInformer } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import type { Cache, CacheOptions } from '../../lib/informer.ts';
import { runBuckets } from '../common/run.ts';
import { cleanUp, provide, report } from '../correct/controller.ts';

export function follow<T extends KubernetesObject>({ kubeConfig, path, list, onChange }: CacheOptions<T>): Cache<T> {
  const informer = makeInformer<T>(kubeConfig, path, list);
  informer.on('add', (object) => onChange(object, 'add'));
  informer.on('update', (object) => onChange(object, 'update'));
  informer.on('delete', (object) => onChange(object, 'delete'));
  return {
    synced: informer.start(),
    get: (name, namespace) => informer.get(name, namespace),
    list: (namespace) => informer.list(namespace),
    stop: () => void informer.stop(),
  };
}

export default function start(context: ControllerContext): Promise<RunningController> {
  return runBuckets(context, { provide, cleanUp, report, follow });
}
