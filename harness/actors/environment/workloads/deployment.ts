/**
 * Deployments: one ReplicaSet per template, with a rolling update from the old sets within surge and unavailability limits.
 *
 * Computes the same numbers as kube-controller-manager's deployment controller. Left out: pausing between template changes, progress
 * deadlines (pods become ready here), proportional scaling of several old sets.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import { jsonEqual } from 'stalemate-apiserver/objects/json';
import type { WorkResult } from '../work-queue.ts';
import { ownedBy, withCondition, type Api } from './api.ts';
import { adoptOrphans, templateHash } from './pods.ts';
import { mapAt, numberAt, type View } from './view.ts';

const HASH = 'pod-template-hash';
const REVISION = 'deployment.kubernetes.io/revision';

export async function reconcileDeployment(api: Api, view: View, deployment: KubeObject): Promise<WorkResult> {
  if (deployment.metadata.deletionTimestamp !== undefined) return report(api, view, deployment);
  if ((await adoptOrphans(api, view, deployment, 'replicasets.apps')) === 'again') return 'again';
  const sets = view.controlledBy(deployment, 'ReplicaSet');
  const current = sets.find((set) => isOf(set, deployment));
  if (current === undefined) {
    if (mapAt(deployment, 'spec')['paused'] === true) return report(api, view, deployment);
    return addSet(api, deployment, sets);
  }
  const old = sets.filter((set) => set !== current);
  const rolled = await roll(api, view, deployment, current, old);
  if (rolled === 'again') return 'again';
  const { annotations } = deployment.metadata;
  const revision = current.metadata.annotations?.[REVISION] ?? '1';
  if (annotations?.[REVISION] !== revision)
    return api.patch(deployment, { metadata: { annotations: { [REVISION]: revision } } });
  const kept = await forget(api, deployment, old);
  return kept === 'again' ? 'again' : report(api, view, deployment);
}

/** Reports whether the set was created from the deployment's current template. */
function isOf(set: KubeObject, deployment: KubeObject): boolean {
  const template = mapAt(set, 'spec', 'template');
  const { [HASH]: _, ...labels } = mapAt(template, 'metadata', 'labels');
  const bare = { ...template, metadata: { ...mapAt(template, 'metadata'), labels } };
  return jsonEqual(bare, mapAt(deployment, 'spec', 'template'));
}

function addSet(api: Api, deployment: KubeObject, sets: readonly KubeObject[]): Promise<WorkResult> {
  const revision = 1 + Math.max(0, ...sets.map((set) => Number(set.metadata.annotations?.[REVISION] ?? 0)));
  return api.create(replicaSetOf(deployment, revision, 0), deployment.metadata.namespace ?? '');
}

/** Returns the ReplicaSet of a deployment's current template. */
export function replicaSetOf(deployment: KubeObject, revision: number, replicas: number): KubeObject {
  const template = mapAt(deployment, 'spec', 'template');
  const hash = templateHash(template);
  const { name = '', namespace = '' } = deployment.metadata;
  const labels = { ...mapAt(template, 'metadata', 'labels'), [HASH]: hash };
  const selector = mapAt(deployment, 'spec', 'selector');
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: { [REVISION]: String(revision) },
      ownerReferences: [ownedBy(deployment)],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...mapAt(selector, 'matchLabels'), [HASH]: hash } },
      template: { ...template, metadata: { ...mapAt(template, 'metadata'), labels } },
    },
  };
}

async function roll(
  api: Api,
  view: View,
  deployment: KubeObject,
  current: KubeObject,
  old: readonly KubeObject[],
): Promise<WorkResult> {
  const wanted = numberAt(deployment, 1, 'spec', 'replicas');
  const strategy = mapAt(deployment, 'spec', 'strategy');
  if (strategy['type'] === 'Recreate') {
    for (const set of old) if ((await scale(api, set, 0)) === 'again') return 'again';
    const gone = old.every((set) => view.controlledBy(set, 'Pod').length === 0);
    return gone ? scale(api, current, wanted) : 'done';
  }
  const rolling = mapAt(strategy, 'rollingUpdate');
  let maxSurge = share(rolling['maxSurge'], wanted, Math.ceil);
  let maxUnavailable = share(rolling['maxUnavailable'], wanted, Math.floor);
  if (maxSurge === 0 && maxUnavailable === 0) maxUnavailable = 1;
  maxSurge = Math.max(maxSurge, 0);

  const specOf = (set: KubeObject): number => numberAt(set, 0, 'spec', 'replicas');
  const total = specOf(current) + sum(old.map(specOf));
  const room = wanted + maxSurge - total;
  const next = specOf(current) > wanted ? wanted : Math.min(wanted, specOf(current) + Math.max(0, room));
  if ((await scale(api, current, next)) === 'again') return 'again';

  const available = (set: KubeObject): number => numberAt(set, 0, 'status', 'availableReplicas');
  const newUnavailable = specOf(current) - available(current);
  let removable = total - (wanted - maxUnavailable) - newUnavailable;
  for (const set of old) {
    const less = Math.min(specOf(set), Math.max(0, removable));
    removable -= less;
    if (less > 0 && (await scale(api, set, specOf(set) - less)) === 'again') return 'again';
  }
  return 'done';
}

async function scale(api: Api, set: KubeObject, replicas: number): Promise<WorkResult> {
  return numberAt(set, 0, 'spec', 'replicas') === replicas ? 'done' : api.patch(set, { spec: { replicas } });
}

/** Resolves a number or a percentage of `of`. */
function share(value: JsonObject[string], of: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? round((Number.parseInt(value, 10) * of) / 100) : 0;
}

/** Deletes old sets without pods beyond the history limit. */
async function forget(api: Api, deployment: KubeObject, old: readonly KubeObject[]): Promise<WorkResult> {
  const empty = old.filter(
    (set) => numberAt(set, 0, 'spec', 'replicas') === 0 && numberAt(set, 0, 'status', 'replicas') === 0,
  );
  const limit = numberAt(deployment, 10, 'spec', 'revisionHistoryLimit');
  for (const set of empty.slice(0, Math.max(0, empty.length - limit)))
    if (set.metadata.deletionTimestamp === undefined && (await api.delete(set)) === 'again') return 'again';
  return 'done';
}

function report(api: Api, view: View, deployment: KubeObject): Promise<WorkResult> {
  const sets = view.controlledBy(deployment, 'ReplicaSet');
  const current = sets.filter((set) => isOf(set, deployment));
  const count = (of: readonly KubeObject[], field: string): number =>
    sum(of.map((set) => numberAt(set, 0, 'status', field)));
  const wanted = numberAt(deployment, 1, 'spec', 'replicas');
  const rolling = mapAt(deployment, 'spec', 'strategy', 'rollingUpdate');
  const available = count(sets, 'availableReplicas');
  const enough = available >= wanted - share(rolling['maxUnavailable'], wanted, Math.floor);
  const updated = count(current, 'replicas');
  const complete = updated === wanted && available === wanted && count(sets, 'replicas') === wanted;
  const now = api.timestamp();
  const withAvailable = withCondition(
    deployment,
    {
      type: 'Available',
      status: enough ? 'True' : 'False',
      reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    },
    now,
  );
  const name = current[0]?.metadata.name ?? '';
  const conditions = withCondition(
    { ...deployment, status: { conditions: withAvailable } },
    {
      type: 'Progressing',
      status: 'True',
      reason: complete ? 'NewReplicaSetAvailable' : 'ReplicaSetUpdated',
      message: complete ? `ReplicaSet "${name}" has successfully progressed.` : `ReplicaSet "${name}" is progressing.`,
    },
    now,
  );
  return api.report(deployment, {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: count(sets, 'replicas'),
    updatedReplicas: updated,
    readyReplicas: count(sets, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, wanted - available),
    conditions,
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
