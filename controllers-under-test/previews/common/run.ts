/**
 * What all Preview controllers share. Each variant passes in its own deletion of a Preview. Start at {@link runPreviews}.
 */
import {
  CoreV1Api,
  CustomObjectsApi,
  type KubernetesListObject,
  type KubernetesObject,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';

/** A temporary environment for one branch. */
export interface Preview extends KubernetesObject {
  readonly spec: { readonly branch: string; readonly done: boolean };
}

export const PREVIEWS = { group: 'staging.example.com', version: 'v1', plural: 'previews' } as const;

/** Deletes a Preview that is done. `preview` comes from the cache and may be stale. */
export type Remove = (custom: CustomObjectsApi, preview: Preview) => Promise<void>;

/** The merge patch that turns an existing ConfigMap into the settings of a Preview. */
export type Adopt = (live: V1ConfigMap, settings: V1ConfigMap) => object;

/** Keeps other owner references. The patch replaces the whole list, so it sends the resourceVersion it is based on. */
const adoptVersion: Adopt = (live, { metadata: { ownerReferences: ours = [] } = {}, data }) => {
  const { resourceVersion, ownerReferences = [] } = live.metadata ?? {};
  const others = ownerReferences.filter(({ uid }) => ours.every((owner) => owner.uid !== uid));
  return { metadata: { resourceVersion, ownerReferences: [...others, ...ours] }, data };
};

/** Starts a Preview controller. */
export async function runPreviews(
  context: ControllerContext,
  remove: Remove,
  adopt: Adopt = adoptVersion,
): Promise<RunningController> {
  const { kubeConfig, namespace } = context;
  const core = kubeConfig.makeApiClient(CoreV1Api);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const queue = new WorkQueue(reconcile);

  const previews = follow<Preview>({
    kubeConfig,
    path: `/apis/${PREVIEWS.group}/${PREVIEWS.version}/namespaces/${namespace}/${PREVIEWS.plural}`,
    list: async () =>
      (await custom.listNamespacedCustomObject({ ...PREVIEWS, namespace })) as KubernetesListObject<Preview>,
    onChange: (preview) => queue.add(nameOf(preview)),
  });
  const settings = follow<V1ConfigMap>({
    kubeConfig,
    path: `/api/v1/namespaces/${namespace}/configmaps`,
    list: () => core.listNamespacedConfigMap({ namespace }),
    // The ConfigMap of a Preview has the same name as the Preview, even if another Preview owns it.
    onChange: (object) => queue.add(nameOf(object)),
  });

  async function reconcile(name: string): Promise<void> {
    const preview = previews.get(name, namespace);
    if (preview === undefined || preview.metadata?.deletionTimestamp !== undefined) return;
    if (preview.spec.done) return remove(custom, preview);
    const cached = settings.get(name, namespace);
    if (cached !== undefined && isRight(cached, preview)) return;
    await provide(preview);
  }

  async function provide(preview: Preview): Promise<void> {
    const name = nameOf(preview);
    const live = await orUndefined(core.readNamespacedConfigMap({ name, namespace }));
    const current = await readLive(custom, preview);
    if (current === undefined || current.spec.done) return;
    const body = settingsOf(current);
    if (live === undefined) {
      await core.createNamespacedConfigMap({ namespace, body });
    } else if (ownerOf(live) === undefined || ownerOf(live) === current.metadata?.uid) {
      if (isRight(live, current)) return;
      await core.patchNamespacedConfigMap(
        { name, namespace, body: adopt(live, body) },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      );
    } else {
      // The garbage collector deletes the settings of an earlier Preview; their deletion will trigger a reconcile.
      throw new Error(`settings ${name} still belong to an earlier preview of this name`);
    }
  }

  return runController(context, queue, [previews, settings]);
}

/** The current Preview; undefined if it was deleted or recreated, or is terminating. */
async function readLive(custom: CustomObjectsApi, preview: Preview): Promise<Preview | undefined> {
  const live = (await orUndefined(custom.getNamespacedCustomObject(pathOf(preview)))) as Preview | undefined;
  const isThere = live?.metadata?.uid === preview.metadata?.uid && live?.metadata?.deletionTimestamp === undefined;
  return isThere ? live : undefined;
}

export function pathOf(preview: Preview): typeof PREVIEWS & { readonly namespace: string; readonly name: string } {
  return { ...PREVIEWS, namespace: preview.metadata?.namespace ?? '', name: nameOf(preview) };
}

function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

function settingsOf(preview: Preview): V1ConfigMap {
  const { uid = '' } = preview.metadata ?? {};
  const { group, version } = PREVIEWS;
  const owner = { apiVersion: `${group}/${version}`, kind: 'Preview', name: nameOf(preview), uid, controller: true };
  return {
    metadata: { name: nameOf(preview), ownerReferences: [owner] },
    data: { branch: preview.spec.branch },
  };
}

function ownerOf(object: KubernetesObject): string | undefined {
  return object.metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

function isRight(object: V1ConfigMap, preview: Preview): boolean {
  return ownerOf(object) === preview.metadata?.uid && object.data?.['branch'] === preview.spec.branch;
}
