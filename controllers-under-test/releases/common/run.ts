/**
 * The Release controller without its writes: caches, queue and the order of a reconcile.
 *
 * The two writes are handed in: they are what the variants differ in. Start at {@link runReleases}.
 */
import { AppsV1Api, CustomObjectsApi, type KubernetesListObject, type V1Deployment } from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import type { Cache } from '../../lib/informer.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { isUpToDate, nameOf } from './deployment.ts';
import { type Release, RELEASES } from './types.ts';

/** What a write has to work with. */
export interface Clients {
  readonly namespace: string;
  readonly apps: AppsV1Api;
  readonly custom: CustomObjectsApi;
  /** The caches; what they hold may be old. */
  readonly releases: Cache<Release>;
  readonly deployments: Cache<V1Deployment>;
}

export interface ReleaseParts {
  /**
   * Makes the Deployment of this release exist and carry its image. Called when the cached one does not.
   * Answers false when there is nothing to report on, as the release is gone.
   */
  readonly rollOut: (clients: Clients, release: Release, cached: V1Deployment | undefined) => Promise<boolean>;
  /** Makes the status of this release say that its image is rolled out. Called at the end of every reconcile. */
  readonly report: (clients: Clients, release: Release) => Promise<void>;
  /** How the caches are kept. */
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
    // A Deployment has the name of its release, whoever owns it now.
    onChange: (deployment) => queue.add(nameOf(deployment)),
  });
  const clients: Clients = { namespace, apps, custom, releases, deployments };

  async function reconcile(name: string): Promise<void> {
    const release = releases.get(name, namespace);
    // What a deleted release leaves behind is the garbage collector's: the Deployment names its owner.
    if (release === undefined || release.metadata?.deletionTimestamp !== undefined) return;
    const cached = deployments.get(name, namespace);
    const settled = cached !== undefined && isUpToDate(cached, release);
    if (settled || (await rollOut(clients, release, cached))) await report(clients, release);
  }

  return runController(context, queue, [releases, deployments]);
}
