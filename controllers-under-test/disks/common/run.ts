/**
 * What all Disk controllers share. Each variant passes in how it creates a disk. Start at {@link runDisks}.
 */
import {
  CustomObjectsApi,
  type KubernetesListObject,
  type KubernetesObject,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import type { ControllerContext, RunningController } from '../../lib/controller.ts';
import { runController } from '../../lib/controller.ts';
import { orUndefined } from '../../lib/errors.ts';
import { follow } from '../../lib/informer.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import { type OutsideDisk, StorageService } from './service.ts';

export interface Disk extends KubernetesObject {
  readonly spec: { readonly sizeGiB: number };
  readonly status?: { readonly diskId?: string; readonly sizeGiB?: number };
}

const DISKS = { group: 'cloud.example.com', version: 'v1', plural: 'disks' } as const;
const FINALIZER = 'cloud.example.com/disk';

/** Creates the disk in the storage service for a Disk that has none. */
export type Provide = (service: StorageService, disk: Disk) => Promise<OutsideDisk>;

/** The merge patch that sets the finalizers of a Disk. */
export type FinalizerPatch = (disk: Disk, finalizers: readonly string[]) => object;

/** Other controllers have finalizers in the same list, so the patch sends the resourceVersion it is based on. */
const withVersion: FinalizerPatch = ({ metadata }, finalizers) => ({
  metadata: { resourceVersion: metadata?.resourceVersion, finalizers },
});

/** Starts a Disk controller. */
export async function runDisks(
  context: ControllerContext,
  provide: Provide,
  finalizerPatch: FinalizerPatch = withVersion,
): Promise<RunningController> {
  const { kubeConfig, namespace, effects } = context;
  if (effects === undefined) throw new Error('the disk controller needs to know where the storage service is');
  const service = new StorageService(effects);
  const custom = kubeConfig.makeApiClient(CustomObjectsApi);
  const queue = new WorkQueue(reconcile);

  const disks = follow<Disk>({
    kubeConfig,
    path: `/apis/${DISKS.group}/${DISKS.version}/namespaces/${namespace}/${DISKS.plural}`,
    list: async () => (await custom.listNamespacedCustomObject({ ...DISKS, namespace })) as KubernetesListObject<Disk>,
    onChange: (disk) => queue.add(nameOf(disk)),
  });

  async function reconcile(name: string): Promise<void> {
    const cached = disks.get(name, namespace);
    if (cached === undefined) return;
    const isDone =
      isAlive(cached) &&
      hasFinalizer(cached) &&
      cached.status?.diskId !== undefined &&
      isSized(cached, cached.spec.sizeGiB);
    if (isDone) return;
    const path = { ...DISKS, namespace, name };
    let disk = (await orUndefined(custom.getNamespacedCustomObject(path))) as Disk | undefined;
    if (disk === undefined || disk.metadata?.uid !== cached.metadata?.uid) return;
    if (!isAlive(disk)) return cleanUp(disk);
    if (!hasFinalizer(disk)) disk = await setFinalizers(disk, [...(disk.metadata?.finalizers ?? []), FINALIZER]);
    const { sizeGiB } = disk.spec;
    let diskId = disk.status?.diskId;
    if (diskId === undefined || (!isSized(disk, sizeGiB) && (await service.resize(diskId, sizeGiB)) === undefined)) {
      const made = await provide(service, disk);
      diskId = made.id;
      if (made.sizeGiB !== sizeGiB) await service.resize(diskId, sizeGiB);
    }
    if (disk.status?.diskId === diskId && isSized(disk, sizeGiB)) return;
    const body = { ...disk, status: { ...disk.status, diskId, sizeGiB } };
    await custom.replaceNamespacedCustomObjectStatus({ ...path, body });
  }

  async function cleanUp(disk: Disk): Promise<void> {
    if (!hasFinalizer(disk)) return;
    // The id of a created disk may not be in the status. Creating it again with its idempotency key returns the id to delete.
    const id = disk.status?.diskId ?? (await provide(service, disk)).id;
    await service.delete(id);
    await setFinalizers(
      disk,
      (disk.metadata?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER),
    );
  }

  async function setFinalizers(disk: Disk, finalizers: readonly string[]): Promise<Disk> {
    const body = finalizerPatch(disk, finalizers);
    const path = { ...DISKS, namespace, name: nameOf(disk) };
    const asMerge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
    return (await custom.patchNamespacedCustomObject({ ...path, body }, asMerge)) as Disk;
  }

  return runController(context, queue, [disks]);
}

function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

function isAlive({ metadata }: Disk): boolean {
  return metadata?.deletionTimestamp === undefined;
}

function hasFinalizer({ metadata }: Disk): boolean {
  return metadata?.finalizers?.includes(FINALIZER) ?? false;
}

function isSized({ status }: Disk, sizeGiB: number): boolean {
  return status?.sizeGiB === sizeGiB;
}
