/** Jobs: pods up to the parallelism until enough have succeeded, then the condition Complete. CronJobs stay as they are. */
import type { KubeObject } from '../../../model/object.ts';
import type { WorkResult } from '../work-queue.ts';
import { withCondition, type Api } from './api.ts';
import { isActive, isReady, phaseOf, podFrom } from './pods.ts';
import { mapAt, numberAt, type View } from './view.ts';

export async function reconcileJob(api: Api, view: View, job: KubeObject): Promise<WorkResult> {
  if (job.metadata.deletionTimestamp !== undefined || isFinished(job)) return 'done';
  const spec = mapAt(job, 'spec');
  const pods = view.controlledBy(job, 'Pod');
  const succeeded = pods.filter((pod) => phaseOf(pod) === 'Succeeded').length;
  const completions = numberAt(spec, 1, 'completions');
  const active = pods.filter(isActive);
  const suspended = spec['suspend'] === true;
  if (!suspended) {
    const wanted = Math.min(numberAt(spec, 1, 'parallelism'), completions - succeeded);
    for (let missing = wanted - active.length; missing > 0; missing--) {
      const pod = podFrom(job, mapAt(spec, 'template'));
      if ((await api.create(pod, job.metadata.namespace ?? '')) === 'again') return 'again';
    }
  }
  const now = api.timestamp();
  const running = view.controlledBy(job, 'Pod').filter(isActive);
  const counts = {
    active: running.length,
    ready: running.filter(isReady).length,
    succeeded,
    ...(suspended ? {} : { startTime: mapAt(job, 'status')['startTime'] ?? now }),
  };
  if (succeeded < completions) return api.report(job, counts);
  const reached = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const criteria = withCondition(
    job,
    { type: 'SuccessCriteriaMet', status: 'True', ...reached, lastProbeTime: now },
    now,
  );
  const conditions = withCondition(
    { ...job, status: { conditions: criteria } },
    { type: 'Complete', status: 'True', ...reached, lastProbeTime: now },
    now,
  );
  return api.report(job, { ...counts, active: 0, completionTime: now, uncountedTerminatedPods: {}, conditions });
}

function isFinished(job: KubeObject): boolean {
  const { conditions } = mapAt(job, 'status') as { readonly conditions?: readonly { readonly type: string }[] };
  return conditions?.some(({ type }) => type === 'Complete' || type === 'Failed') === true;
}
