/** Defaults of workloads, autoscalers and disruption budgets (k8s.io/kubernetes `pkg/apis/{apps,batch,autoscaling}`). */
import { isList } from '../../../objects/json.ts';
import type { JsonObject } from '../../../objects/object.ts';
import { fill, inItems } from '../fill.ts';
import { filling, inMade, mapIn, type Defaulting, type Defaults } from './rules.ts';

/** Returns a strategy with its defaults. Only a RollingUpdate strategy has parameters to default. */
function rolling(strategy: JsonObject, defaults: JsonObject): JsonObject {
  const typed = fill(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return inMade(typed, 'rollingUpdate', (update) => fill(update, defaults));
}

const deployment: Defaulting = (map) =>
  inMade(map, 'spec', (given) => {
    const spec = fill(given, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    return inMade(spec, 'strategy', (strategy) => rolling(strategy, { maxUnavailable: '25%', maxSurge: '25%' }));
  });

const daemonSet: Defaulting = (map) =>
  inMade(map, 'spec', (given) =>
    inMade(fill(given, { revisionHistoryLimit: 10 }), 'updateStrategy', (strategy) =>
      rolling(strategy, { maxUnavailable: 1, maxSurge: 0 }),
    ),
  );

const CLAIM_TYPE: JsonObject = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };

const statefulSet: Defaulting = (map) =>
  inMade(map, 'spec', (given) => {
    let spec = fill(given, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
    spec = inMade(spec, 'updateStrategy', (strategy) => {
      const typed =
        strategy['type'] === undefined ? fill(strategy, { type: 'RollingUpdate', rollingUpdate: {} }) : strategy;
      if (typed['type'] !== 'RollingUpdate' || typed['rollingUpdate'] === undefined) return typed;
      return inMade(typed, 'rollingUpdate', (update) => fill(update, { partition: 0 }));
    });
    spec = inMade(spec, 'persistentVolumeClaimRetentionPolicy', (policy) =>
      fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    );
    return inItems(spec, 'volumeClaimTemplates', (claim) => fill(claim, CLAIM_TYPE));
  });

const INT32_MAX = 2 ** 31 - 1;

const job: Defaulting = (map) =>
  inMade(map, 'spec', (given) => {
    const single = given['completions'] === undefined && given['parallelism'] === undefined;
    return fill(fill(given, single ? { completions: 1, parallelism: 1 } : { parallelism: 1 }), {
      backoffLimit: given['backoffLimitPerIndex'] === undefined ? 6 : INT32_MAX,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: given['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
      manualSelector: false,
    });
  });

const cronJob: Defaulting = (map) =>
  inMade(
    map,
    'spec',
    filling({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    }),
  );

const CPU_AT_80: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};
const SCALE_UP: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const autoscaler: Defaulting = (map) =>
  inMade(map, 'spec', (given) => {
    let spec = fill(given, { minReplicas: 1 });
    const { metrics } = spec;
    if (!isList(metrics) || metrics.length === 0) spec = { ...spec, metrics: [CPU_AT_80] };
    if (spec['behavior'] === undefined) return spec;
    return inMade(spec, 'behavior', (behavior) => {
      const up = fill(mapIn(behavior, 'scaleUp'), SCALE_UP);
      const down = fill(mapIn(behavior, 'scaleDown'), SCALE_DOWN);
      return up === behavior['scaleUp'] && down === behavior['scaleDown']
        ? behavior
        : { ...behavior, scaleUp: up, scaleDown: down };
    });
  });

/** Defaulting rules by Go type. */
export const WORKLOAD_DEFAULTS: Defaults = {
  'apps/v1.DaemonSet': daemonSet,
  'apps/v1.Deployment': deployment,
  'apps/v1.ReplicaSet': (map) => inMade(map, 'spec', filling({ replicas: 1 })),
  'apps/v1.StatefulSet': statefulSet,
  'autoscaling/v1.HorizontalPodAutoscaler': (map) => inMade(map, 'spec', filling({ minReplicas: 1 })),
  'autoscaling/v2.HorizontalPodAutoscaler': autoscaler,
  'batch/v1.CronJob': cronJob,
  'batch/v1.Job': job,
  'batch/v1.PodFailurePolicyOnPodConditionsPattern': filling({ status: 'True' }),
};
