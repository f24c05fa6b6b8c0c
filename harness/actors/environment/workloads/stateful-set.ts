/**
 * StatefulSets: pods with ordinals and their claims, created in order and replaced from the highest ordinal down.
 *
 * Owns: OrderedReady and Parallel management, RollingUpdate without partitions. Left out: ControllerRevision objects (the template's hash
 * on the pod replaces them), claim retention.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { CLAIMS } from '../claims-of.ts';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { adoptOrphans, isActive, isReady, phaseOf, podFrom, templateHash } from './pods.ts';
import { mapAt, numberAt, type View } from './view.ts';

const REVISION = 'controller-revision-hash';

export async function reconcileStatefulSet(api: Api, view: View, set: KubeObject): Promise<WorkResult> {
  const { name = '' } = set.metadata;
  const isOrdinal = (pod: KubeObject): boolean => /^\d+$/.test(ordinalIn(name, pod));
  if ((await adoptOrphans(api, view, set, 'pods', isOrdinal)) === 'again') return 'again';
  const revision = `${name}-${templateHash(mapAt(set, 'spec', 'template'))}`;
  if (set.metadata.deletionTimestamp === undefined && (await step(api, view, set, revision)) === 'again')
    return 'again';
  const pods = view.controlledBy(set, 'Pod').filter(isActive);
  const ready = pods.filter(isReady).length;
  const updated = pods.filter((pod) => pod.metadata.labels?.[REVISION] === revision).length;
  const wanted = numberAt(set, 1, 'spec', 'replicas');
  const before = mapAt(set, 'status')['currentRevision'];
  const complete = updated === wanted && ready === wanted;
  const currentRevision = complete || typeof before !== 'string' ? revision : before;
  return api.report(set, {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: complete ? updated : pods.length - updated,
    updatedReplicas: updated,
    currentRevision,
    updateRevision: revision,
    collisionCount: 0,
  });
}

async function step(api: Api, view: View, set: KubeObject, revision: string): Promise<WorkResult> {
  const { name = '', namespace = '' } = set.metadata;
  const spec = mapAt(set, 'spec');
  const wanted = numberAt(spec, 1, 'replicas');
  const inOrder = spec['podManagementPolicy'] !== 'Parallel';
  const byOrdinal = new Map(view.controlledBy(set, 'Pod').map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = 0; ordinal < wanted; ordinal++) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) {
      if ((await makeClaims(api, view, set, ordinal)) === 'again') return 'again';
      const made = await api.create(ordinalPod(set, ordinal, revision), namespace);
      if (made === 'again') return 'again';
    } else if (phaseOf(pod) === 'Pending' && (await makeClaims(api, view, set, ordinal)) === 'again') return 'again';
    // In order: the next pod is created only when this one is ready, which the kubelet will report.
    if (inOrder && (pod === undefined || !isReady(pod) || pod.metadata.deletionTimestamp !== undefined)) return 'done';
  }
  const highestFirst = [...byOrdinal.keys()].toSorted((a, b) => b - a);
  for (const ordinal of highestFirst) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) continue;
    const outdated = pod.metadata.labels?.[REVISION] !== revision && updates(spec);
    if (ordinal < wanted && !outdated) continue;
    if (pod.metadata.deletionTimestamp === undefined) return api.delete(pod);
    if (inOrder) return 'done';
  }
  return 'done';

  function ordinalOf(pod: KubeObject): number {
    return Number(ordinalIn(name, pod) || Number.NaN);
  }
}

/** Returns what follows the set's name and a dash in the name of a pod: its ordinal, if it is one of the set. */
function ordinalIn(set: string, pod: KubeObject): string {
  const { name = '' } = pod.metadata;
  return name.startsWith(`${set}-`) ? name.slice(set.length + 1) : '';
}

function updates(spec: JsonObject): boolean {
  return mapAt(spec, 'updateStrategy')['type'] !== 'OnDelete';
}

async function makeClaims(api: Api, view: View, set: KubeObject, ordinal: number): Promise<WorkResult> {
  const { name = '', namespace = '' } = set.metadata;
  for (const template of claimTemplates(set)) {
    const claim = `${template.metadata.name ?? ''}-${name}-${ordinal}`;
    if (view.get(CLAIMS, `${namespace}/${claim}`) !== undefined) continue;
    const labels = mapAt(set, 'spec', 'selector', 'matchLabels');
    const made = await api.create(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: claim, namespace, labels: { ...labels, ...template.metadata.labels } },
        spec: mapAt(template, 'spec'),
      },
      namespace,
    );
    if (made === 'again') return 'again';
  }
  return 'done';
}

function claimTemplates(set: KubeObject): readonly KubeObject[] {
  const templates = mapAt(set, 'spec')['volumeClaimTemplates'];
  return Array.isArray(templates) ? (templates as readonly KubeObject[]) : [];
}

function ordinalPod(set: KubeObject, ordinal: number, revision: string): KubeObject {
  const { name = '' } = set.metadata;
  const template = mapAt(set, 'spec', 'template');
  const { serviceName } = mapAt(set, 'spec');
  const pod = `${name}-${ordinal}`;
  const volumes = claimTemplates(set).map((claim) => ({
    name: claim.metadata.name ?? '',
    persistentVolumeClaim: { claimName: `${claim.metadata.name ?? ''}-${pod}` },
  }));
  const given = mapAt(template, 'spec')['volumes'];
  const kept = (Array.isArray(given) ? (given as readonly JsonObject[]) : []).filter(
    (volume) => !volumes.some((one) => one.name === volume['name']),
  );
  return podFrom(set, template, {
    name: pod,
    labels: {
      [REVISION]: revision,
      'statefulset.kubernetes.io/pod-name': pod,
      'apps.kubernetes.io/pod-index': String(ordinal),
    },
    spec: {
      hostname: pod,
      ...(serviceName === undefined ? {} : { subdomain: serviceName }),
      ...(volumes.length === 0 ? {} : { volumes: [...volumes, ...kept] }),
    },
  });
}
