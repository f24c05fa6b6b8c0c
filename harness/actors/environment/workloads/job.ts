/**
 * Jobs: pods up to the parallelism until enough have succeeded, then the condition Complete; none while suspended. CronJobs are not
 * processed.
 *
 * Mirrors `manageJob` and `syncJob` of kube-controller-manager. Pods never fail here, so Jobs do not either.
 */
import type { JsonObject, KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import { withCondition, type Api } from './api.ts';
import { isActive, isReady, phaseOf, podFrom, surplus } from './pods.ts';
import { mapAt, numberAt, type View } from './view.ts';

export async function reconcileJob(api: Api, view: View, job: KubeObject): Promise<WorkResult> {
  if (job.metadata.deletionTimestamp !== undefined || isFinished(job)) return 'done';
  const pods = view.controlledBy(job, 'Pod');
  const succeeded = pods.filter((pod) => phaseOf(pod) === 'Succeeded').length;
  const active = pods.filter(isActive);
  const wanted = podsWanted(job, succeeded, active.length);
  for (let missing = wanted - active.length; missing > 0; missing--) {
    const pod = podFrom(job, mapAt(job, 'spec', 'template'));
    if ((await api.create(pod, job.metadata.namespace ?? '')) === 'again') return 'again';
  }
  for (const pod of surplus(active, wanted)) if ((await api.delete(pod)) === 'again') return 'again';

  const now = api.timestamp();
  const running = view.controlledBy(job, 'Pod').filter(isActive);
  if (running.length === 0 && isEnough(job, succeeded)) return api.report(job, completion(job, succeeded, now));
  const counts = { active: running.length, ready: running.filter(isReady).length, succeeded };
  return api.report(job, { ...counts, ...suspension(job, now) });
}

/**
 * Returns the number of pods that should run. Without completions, no pod is started once one has succeeded, because the work is then done.
 */
function podsWanted(job: KubeObject, succeeded: number, active: number): number {
  const { suspend, parallelism = 1, completions } = mapAt(job, 'spec');
  if (suspend === true) return 0;
  if (typeof completions !== 'number') return succeeded > 0 ? active : Number(parallelism);
  return Math.max(0, Math.min(Number(parallelism), completions - succeeded));
}

function isEnough(job: KubeObject, succeeded: number): boolean {
  return succeeded >= numberAt(job, 1, 'spec', 'completions');
}

export function isFinished(job: KubeObject): boolean {
  return holds(job, 'Complete') || holds(job, 'Failed');
}

function holds(job: KubeObject, type: string): boolean {
  const { conditions = [] } = mapAt(job, 'status') as { readonly conditions?: readonly JsonObject[] };
  return conditions.some((one) => one['type'] === type && one['status'] === 'True');
}

/** Returns the status fields for suspending or resuming a Job, with its start time. */
export function suspension(job: KubeObject, now: string): JsonObject {
  const suspended = mapAt(job, 'spec')['suspend'] === true;
  if (suspended === holds(job, 'Suspended'))
    return suspended ? {} : { startTime: mapAt(job, 'status')['startTime'] ?? now };
  const change = suspended
    ? { status: 'True', reason: 'JobSuspended', message: 'Job suspended' }
    : { status: 'False', reason: 'JobResumed', message: 'Job resumed' };
  const conditions = withCondition(job, { type: 'Suspended', ...change, lastProbeTime: now }, now);
  return { conditions, startTime: suspended ? null : now };
}

/** Returns the status of a completed Job. */
export function completion(job: KubeObject, succeeded: number, now: string): JsonObject {
  const begun = mapAt(job, 'spec')['suspend'] === true ? {} : suspension(job, now);
  const reached = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  let status: JsonObject = { ...mapAt(job, 'status'), ...begun };
  for (const type of ['SuccessCriteriaMet', 'Complete']) {
    const condition = { type, status: 'True', ...reached, lastProbeTime: now };
    status = { ...status, conditions: withCondition({ ...job, status }, condition, now) };
  }
  const { conditions = [] } = status;
  const counts = { active: 0, ready: 0, succeeded };
  return { ...begun, ...counts, completionTime: now, uncountedTerminatedPods: {}, conditions };
}
