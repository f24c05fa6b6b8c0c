/**
 * What all Release controllers share: caches, work queue and the order of a reconcile.
 *
 * Each variant passes in its own two writes. Start at {@link runReleases}.
 */
import { AppsV1Api, CustomObjectsApi, type KubernetesListObject, type V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import type { Cache } from '../../lib/informer.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { isUpToDate, nameOf } from './deployment.ts';
import { type Release, RELEASES } from './types.ts';

/** The clients and caches that the writes use. */
export interface Clients {
  readonly namespace: string;
  readonly apps: AppsV1Api;
  readonly custom: CustomObjectsApi;
  /** The caches; their objects may be stale. */
  readonly releases: Cache<Release>;
  readonly deployments: Cache<V1Deployment>;
}

export interface ReleaseParts {
  /**
   * Creates the Deployment of this release, or updates it to its image. Called if the cached one is missing or outdated. Returns false if
   * the release no longer exists, so that no status is written.
   */
  readonly rollOut: (clients: Clients, release: Release, cached: V1Deployment | undefined) => Promise<boolean>;
  /** Writes the status that reports the image as rolled out. Called at the end of every reconcile. */
  readonly report: (clients: Clients, release: Release) => Promise<void>;
  /** Creates the caches; by default `follow` of `lib/informer.ts`. */
  readonly follow?: typeof follow;
}

/** Starts a Release controller. */
export async function runReleases(
  context: ControllerContext,
  { rollOut, report, follow: keep = follow }: ReleaseParts,
): Promise<RunningController> {
  const { kubeConfig, namespace } = context;
  const apps = kubeConfig.makeApiClient(AppsV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const queue = new WorkQueue(reconcile);

  const releases = keep<Release>({
    kubeConfig,
    path: `/apis/${RELEASES.group}/${RELEASES.version}/namespaces/${namespace}/${RELEASES.plural}`,
    list: async () =>
      (await custom.listNamespacedCustomObject({ ...RELEASES, namespace })) as KubernetesListObject<Release>,
    onChange: (release) => queue.add(nameOf(release)),
  });
  const deployments = keep<V1Deployment>({
    kubeConfig,
    path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
    list: () => apps.listNamespacedDeployment({ namespace }),
    // The Deployment of a release has the same name as the release, even if another object owns it.
    onChange: (deployment) => queue.add(nameOf(deployment)),
  });
  const clients: Clients = { namespace, apps, custom, releases, deployments };

  async function reconcile(name: string): Promise<void> {
    const release = releases.get(name, namespace);
    // The garbage collector deletes the Deployment of a deleted release, by its owner reference.
    if (release === undefined || release.metadata?.deletionTimestamp !== undefined) return;
    const cached = deployments.get(name, namespace);
    const settled = cached !== undefined && isUpToDate(cached, release);
    if (settled || (await rollOut(clients, release, cached))) await report(clients, release);
  }

  return runController(context, queue, [releases, deployments]);
}
