/** Volume claims: each is bound at once to a volume of its own, which grows with the claim and is deleted with it. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import { CLAIMS } from '../claims-of.ts';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { keyOf, mapAt, type View } from './view.ts';

/** Returns the name of the volume that a claim is or will be bound to. */
export function volumeOf(claim: KubeObject): string {
  const { volumeName } = mapAt(claim, 'spec');
  return typeof volumeName === 'string' && volumeName !== '' ? volumeName : ownVolume(claim.metadata.uid);
}

/** Returns the name of the volume that is made for a claim. */
function ownVolume(uid = ''): string {
  return `pvc-${uid}`;
}

export async function reconcileClaim(api: Api, view: View, claim: KubeObject): Promise<WorkResult> {
  const { name = '', namespace = '', uid = '' } = claim.metadata;
  if (claim.metadata.deletionTimestamp !== undefined) return 'done';
  const spec = mapAt(claim, 'spec');
  const status = mapAt(claim, 'status');
  const volume = volumeOf(claim);
  const capacity = { storage: mapAt(spec, 'resources', 'requests')['storage'] ?? '1Gi' };
  const made = view.get('persistentvolumes', keyOf('', volume));
  const isBound = status['phase'] === 'Bound' && status['capacity'] !== undefined && spec['volumeName'] === volume;
  const grows =
    made !== undefined &&
    isMadeFor(uid, made) &&
    // An API server refuses smaller requests.
    mapAt(made, 'spec', 'capacity')['storage'] !== capacity.storage;
  if (isBound && !grows) return 'done';
  const accessModes = spec['accessModes'] ?? [];
  if (made === undefined) {
    const created = await api.create(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume },
        spec: {
          capacity,
          accessModes,
          persistentVolumeReclaimPolicy: 'Delete',
          hostPath: { path: pathOf(volume) },
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
        },
      },
      '',
    );
    if (created === 'again') return 'again';
  }
  const bound = view.get('persistentvolumes', keyOf('', volume));
  if (bound !== undefined && (await api.report(bound, { phase: 'Bound' })) === 'again') return 'again';
  // This patch changes the claim and so queues it again, to report its status.
  if (spec['volumeName'] !== volume) return api.patch(claim, { spec: { volumeName: volume } });
  if ((await api.report(claim, { phase: 'Bound', capacity, accessModes })) === 'again') return 'again';
  // Last: until then, the volume shows that the claim grows.
  return grows ? api.patch(made, { spec: { capacity } }) : 'done';
}

/** Reports whether a volume was made here for the claim, not by a provisioner. */
function isMadeFor(uid: string, volume: KubeObject): boolean {
  const { name } = volume.metadata;
  return name === ownVolume(uid) && mapAt(volume, 'spec', 'hostPath')['path'] === pathOf(name);
}

function pathOf(volume: string): string {
  return `/volumes/${volume}`;
}

/** Deletes a volume that was made for a claim, once the claim is gone, unless the volume is to be retained. */
export async function reconcileVolume(api: Api, view: View, volume: KubeObject): Promise<WorkResult> {
  const {
    name = '',
    namespace = '',
    uid = '',
  } = mapAt(volume, 'spec', 'claimRef') as {
    readonly [key: string]: string | undefined;
  };
  if (!isMadeFor(uid, volume) || volume.metadata.deletionTimestamp !== undefined) return 'done';
  if (view.get(CLAIMS, keyOf(namespace, name))?.metadata.uid === uid) return 'done';
  if ((await api.report(volume, { phase: 'Released' })) === 'again') return 'again';
  return mapAt(volume, 'spec')['persistentVolumeReclaimPolicy'] === 'Delete' ? api.delete(volume) : 'done';
}
