/** The Release controller as separate steps, and bugs that replace some of them. */
import { PatchStrategy, setHeaderOptions, type V1Deployment } from '@kubernetes/client-node';
import { follow as endsOnError } from '../buckets/dies-on-watch-error/controller.ts';
import type { ControllerContext, RunningController } from '../lib/controller.ts';
import { isConflict, orUndefined } from '../lib/errors.ts';
import { follow } from '../lib/informer.ts';
import { retryOnConflict, sleep } from '../lib/retry.ts';
import { pathOf, readLive, replaceStatus } from '../releases/common/api.ts';
import { claim } from '../releases/common/claim.ts';
import { bringUpToDate, desiredDeployment, imageOf, isUpToDate, nameOf } from '../releases/common/deployment.ts';
import { type Clients, type ReleaseParts, runReleases } from '../releases/common/run.ts';
import { releasedStatus } from '../releases/common/status.ts';
import { CONTAINER, type Release, RELEASES, type ReleaseStatus } from '../releases/common/types.ts';
import { follow as endsOnExpired } from '../releases/no-relist-after-410/controller.ts';
import { type Bugs, type Start, startWith } from './bugs.ts';

interface Steps {
  readonly followReleases: typeof follow;
  readonly followDeployments: typeof follow;
  /** Whether the cached Release shows that there is nothing to do. */
  readonly isDone: (release: Release) => boolean;
  /** The Deployment to edit; undefined if the release no longer exists. */
  readonly read: (
    clients: Clients,
    release: Release,
    cached: V1Deployment | undefined,
  ) => Promise<V1Deployment | undefined>;
  readonly edit: (deployment: V1Deployment, release: Release) => void;
  readonly write: (clients: Clients, deployment: V1Deployment) => Promise<unknown>;
  /** Further writes after the release is rolled out. */
  readonly note: (clients: Clients, release: Release) => Promise<void>;
  /** The Release whose status is written; undefined if it no longer exists. */
  readonly readRelease: (clients: Clients, release: Release) => Promise<Release | undefined>;
  /** Whether `live` still asks for what was rolled out for `release`. */
  readonly isCurrent: (live: Release, release: Release) => boolean;
  /** The status to write to `live` after `release` was rolled out; the same object if nothing changes. */
  readonly status: (live: Release, release: Release) => ReleaseStatus;
  readonly writeStatus: (clients: Clients, live: Release, status: ReleaseStatus) => Promise<unknown>;
  readonly report: ReleaseParts['report'] | undefined;
}

const CORRECT: Steps = {
  followReleases: follow,
  followDeployments: follow,
  isDone: () => false,
  read: claim,
  edit: bringUpToDate,
  write: ({ apps, namespace }, body) => apps.replaceNamespacedDeployment({ name: nameOf(body), namespace, body }),
  note: () => Promise.resolve(),
  readRelease: ({ custom }, release) => readLive(custom, release),
  // The spec is newer than the cached one and not rolled out yet: the next reconcile will report it.
  isCurrent: (live, release) => live.metadata?.generation === release.metadata?.generation,
  status: releasedStatus,
  writeStatus: ({ custom }, live, status) => replaceStatus(custom, live, status),
  report: undefined,
};

function runSteps(context: ControllerContext, steps: Steps): Promise<RunningController> {
  function rollOut(clients: Clients, release: Release, cached: V1Deployment | undefined): Promise<boolean> {
    return retryOnConflict(async () => {
      if (steps.isDone(release)) return true;
      const deployment = await steps.read(clients, release, cached);
      if (deployment === undefined) return false;
      if (!isUpToDate(deployment, release)) {
        steps.edit(deployment, release);
        await steps.write(clients, deployment);
      }
      return true;
    });
  }

  async function report(clients: Clients, release: Release): Promise<void> {
    await steps.note(clients, release);
    if (steps.report !== undefined) return steps.report(clients, release);
    if (steps.status(release, release) === release.status) return;
    await retryOnConflict(async () => {
      const live = await steps.readRelease(clients, release);
      if (live === undefined || !steps.isCurrent(live, release)) return;
      const status = steps.status(live, release);
      if (status !== live.status) await steps.writeStatus(clients, live, status);
    });
  }

  return runReleases(context, {
    rollOut,
    report,
    follow: (options) =>
      options.path.endsWith(`/${RELEASES.plural}`) ? steps.followReleases(options) : steps.followDeployments(options),
  });
}

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const PAUSE_MS = 200;
const NOTE = 'delivery.example.com/rolled-out';

const RELEASE_BUGS: Bugs<Steps> = {
  'clears-version': ({ write }) => ({
    write: (clients, deployment) => {
      (deployment.metadata ??= {}).resourceVersion = '';
      return write(clients, deployment);
    },
  }),

  'takes-spec-from-cache': ({ read }) => ({
    read: async (clients, release, cached) => {
      const live = await read(clients, release, cached);
      if (live === undefined || cached?.spec === undefined) return live;
      return { ...live, spec: structuredClone(cached.spec) };
    },
  }),

  'rebuilds-finalizers': ({ edit }) => ({
    edit: (deployment, release) => {
      edit(deployment, release);
      (deployment.metadata ??= {}).finalizers = desiredDeployment(release).metadata?.finalizers ?? [];
    },
  }),

  'retries-refused-object': ({ write }) => ({
    write: async (clients, deployment) => {
      for (;;) {
        try {
          return await write(clients, deployment);
        } catch (error) {
          if (!isConflict(error)) throw error;
          await sleep(PAUSE_MS);
        }
      }
    },
  }),

  'drops-conflict': ({ write }) => ({
    isDone: (release) => release.status?.observedGeneration === release.metadata?.generation,
    write: async (clients, deployment) => {
      try {
        await write(clients, deployment);
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    },
  }),

  'forces-apply': () => ({
    read: (clients, release, cached) =>
      cached === undefined ? claim(clients, release) : Promise.resolve(structuredClone(cached)),
    write: ({ apps, namespace }, deployment) => {
      const { resourceVersion: _, managedFields: __, ...metadata } = deployment.metadata ?? {};
      const { status: ___, ...content } = deployment;
      const body = { ...content, apiVersion: 'apps/v1', kind: 'Deployment', metadata };
      return apps.patchNamespacedDeployment(
        { name: nameOf(deployment), namespace, fieldManager: 'releases', force: true, body },
        setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
      );
    },
  }),

  'replaces-owners': () => ({
    read: (clients, release, cached) =>
      cached === undefined ? claim(clients, release) : Promise.resolve(structuredClone(cached)),
    write: ({ apps, namespace }, deployment) => {
      const { labels, ownerReferences = [] } = deployment.metadata ?? {};
      const containers = [{ name: CONTAINER, image: imageOf(deployment) }];
      const body = {
        metadata: { labels, ownerReferences: [{ $patch: 'replace' }, ...ownerReferences] },
        spec: { template: { spec: { containers } } },
      };
      return apps.patchNamespacedDeployment(
        { name: nameOf(deployment), namespace, body },
        setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
      );
    },
  }),

  'applies-to-the-deleted': () => ({
    note: async ({ custom }, release) => {
      const { image } = release.spec;
      if (release.metadata?.annotations?.[NOTE] === image) return;
      const metadata = { name: nameOf(release), annotations: { [NOTE]: image } };
      const apiVersion = `${RELEASES.group}/${RELEASES.version}`;
      await custom.patchNamespacedCustomObject(
        {
          ...pathOf(release),
          fieldManager: 'releases',
          force: true,
          body: { apiVersion, kind: 'Release', metadata, spec: release.spec },
        },
        setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
      );
    },
  }),

  'counts-reconciles': ({ status }) => ({
    status: (live, release) => ({ ...status(live, release), reconciles: (live.status?.reconciles ?? 0) + 1 }),
  }),

  'patches-conditions-blind': () => ({
    readRelease: (_, release) => Promise.resolve(release),
    writeStatus: ({ custom }, release, status) =>
      orUndefined(custom.patchNamespacedCustomObjectStatus({ ...pathOf(release), body: { status } }, MERGE_PATCH)),
  }),

  'takes-conditions-from-cache': ({ readRelease }) => ({
    readRelease: async (clients, release) => {
      const live = await readRelease(clients, release);
      if (live === undefined || release.status === undefined) return live;
      return { ...live, status: release.status };
    },
  }),

  'lies-about-generation': ({ status }) => ({
    isCurrent: () => true,
    status: (live, release) => status({ ...live, spec: release.spec }, release),
  }),

  'mutates-cache': ({ status }) => ({
    report: async ({ custom }, release) => {
      const wanted = status(release, release);
      if (wanted === release.status) return;
      Object.assign(release, { status: wanted });
      await replaceStatus(custom, release, wanted);
    },
  }),

  'retries-status-forever': ({ status }) => ({
    report: async ({ custom, releases, namespace }, release) => {
      for (;;) {
        const current = releases.get(nameOf(release), namespace);
        if (current === undefined || current.metadata?.generation !== release.metadata?.generation) return;
        const wanted = status(current, release);
        if (wanted === current.status) return;
        try {
          await replaceStatus(custom, current, wanted);
          return;
        } catch {
          // Another writer was faster: try again.
        }
      }
    },
  }),

  'ends-release-watch-on-error': () => ({ followReleases: endsOnError }),
  'ends-deployment-watch-on-expiry': () => ({ followDeployments: endsOnExpired }),
};

export const startReleases: (bugs: readonly string[]) => Start = startWith(CORRECT, RELEASE_BUGS, runSteps);
