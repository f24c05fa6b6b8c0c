/** Volume claims: each is bound at once to a volume of its own. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { mapAt, type View } from './view.ts';

export async function reconcileClaim(api: Api, view: View, claim: KubeObject): Promise<WorkResult> {
  const { name = '', namespace = '', uid = '' } = claim.metadata;
  if (claim.metadata.deletionTimestamp !== undefined || mapAt(claim, 'status')['phase'] === 'Bound') return 'done';
  const spec = mapAt(claim, 'spec');
  const volume =
    typeof spec['volumeName'] === 'string' && spec['volumeName'] !== '' ? spec['volumeName'] : `pvc-${uid}`;
  const capacity = { storage: mapAt(spec, 'resources', 'requests')['storage'] ?? '1Gi' };
  const accessModes = spec['accessModes'] ?? [];
  if (view.get('persistentvolumes', `/${volume}`) === undefined) {
    const made = await api.create(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: volume },
        spec: {
          capacity,
          accessModes,
          persistentVolumeReclaimPolicy: 'Delete',
          hostPath: { path: `/volumes/${volume}` },
          claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, namespace, uid },
        },
      },
      '',
    );
    if (made === 'again') return 'again';
  }
  const made = view.get('persistentvolumes', `/${volume}`);
  if (made !== undefined && (await api.report(made, { phase: 'Bound' })) === 'again') return 'again';
  // This patch changes the claim and so queues it again, to report its status.
  if (spec['volumeName'] !== volume) return api.patch(claim, { spec: { volumeName: volume } });
  return api.report(claim, { phase: 'Bound', capacity, accessModes });
}
