/**
 * Workloads that become ready without pods: for clients that read a workload's status and nothing below it.
 *
 * Owns: the status of a workload once all its pods would be ready. Does not own: when that happens (`pace.ts`), workloads whose pods are
 * read (the other controllers). Start at {@link THIN}.
 */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import { withCondition, type Api } from './api.ts';
import { completion, isFinished, suspension } from './job.ts';
import { templateHash } from './pods.ts';
import { mapAt, numberAt } from './view.ts';

type Report = (api: Api, object: KubeObject) => Promise<WorkResult>;

/** How each kind reports that it is ready. */
export const THIN: { readonly [resource: string]: Report } = {
  'deployments.apps': reportDeployment,
  'statefulsets.apps': reportStatefulSet,
  'replicasets.apps': (api, set) => api.report(set, replicasOf(set)),
  'daemonsets.apps': reportDaemonSet,
  'jobs.batch': reportJob,
};

function replicasOf(object: KubeObject): { readonly [key: string]: number } {
  const replicas = numberAt(object, 1, 'spec', 'replicas');
  return {
    observedGeneration: object.metadata.generation ?? 0,
    replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    ...(object.kind === 'ReplicaSet' ? { fullyLabeledReplicas: replicas } : { updatedReplicas: replicas }),
  };
}

function reportDeployment(api: Api, deployment: KubeObject): Promise<WorkResult> {
  const now = api.timestamp();
  const available = {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
  };
  const progressing = {
    type: 'Progressing',
    status: 'True',
    reason: 'NewReplicaSetAvailable',
    message: 'ReplicaSet has successfully progressed.',
  };
  const conditions = withCondition(
    { ...deployment, status: { conditions: withCondition(deployment, available, now) } },
    progressing,
    now,
  );
  return api.report(deployment, { ...replicasOf(deployment), unavailableReplicas: 0, conditions });
}

function reportStatefulSet(api: Api, set: KubeObject): Promise<WorkResult> {
  const revision = `${set.metadata.name ?? ''}-${templateHash(mapAt(set, 'spec', 'template'))}`;
  const { replicas = 0, ...counts } = replicasOf(set);
  return api.report(set, {
    ...counts,
    replicas,
    currentReplicas: replicas,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
  });
}

/** Reports a DaemonSet as ready. There is one node, and therefore one pod. */
function reportDaemonSet(api: Api, set: KubeObject): Promise<WorkResult> {
  const scheduled = ['currentNumberScheduled', 'desiredNumberScheduled', 'updatedNumberScheduled'];
  const running = ['numberReady', 'numberAvailable'];
  return api.report(set, {
    observedGeneration: set.metadata.generation ?? 0,
    numberMisscheduled: 0,
    ...Object.fromEntries([...scheduled, ...running].map((count) => [count, 1])),
  });
}

/** Reports a Job as complete. Without completions, all pods that may run in parallel count as succeeded. */
function reportJob(api: Api, job: KubeObject): Promise<WorkResult> {
  if (isFinished(job)) return Promise.resolve('done');
  const now = api.timestamp();
  const { suspend, parallelism = 1, completions = parallelism } = mapAt(job, 'spec');
  return api.report(job, suspend === true ? suspension(job, now) : completion(job, Number(completions), now));
}
