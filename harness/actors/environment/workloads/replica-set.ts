/** ReplicaSets: the desired number of pods, and a status that counts them. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { adoptOrphans, isActive, isReady, podFrom, surplus } from './pods.ts';
import { mapAt, numberAt, type View } from './view.ts';

/** Takes one step towards the desired number of pods, then updates the status. */
export async function reconcileReplicaSet(api: Api, view: View, set: KubeObject): Promise<WorkResult> {
  if (set.metadata.deletionTimestamp === undefined) {
    if ((await adoptOrphans(api, view, set, 'pods')) === 'again') return 'again';
    const wanted = numberAt(set, 1, 'spec', 'replicas');
    const pods = view.controlledBy(set, 'Pod').filter(isActive);
    const namespace = set.metadata.namespace ?? '';
    for (let missing = wanted - pods.length; missing > 0; missing--)
      if ((await api.create(podFrom(set, mapAt(set, 'spec', 'template')), namespace)) === 'again') return 'again';
    for (const pod of surplus(pods, wanted)) if ((await api.delete(pod)) === 'again') return 'again';
  }
  const pods = view.controlledBy(set, 'Pod').filter(isActive);
  const ready = pods.filter(isReady).length;
  return api.report(set, {
    replicas: pods.length,
    fullyLabeledReplicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata.generation ?? 0,
  });
}
