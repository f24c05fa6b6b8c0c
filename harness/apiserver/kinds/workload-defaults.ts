/**
 * Defaults and rules of the workload kinds (k8s.io/kubernetes `pkg/apis/{apps,batch}/v1/defaults.go` and their strategies).
 */
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { jsonEqual } from '../../model/leaf.ts';
import { isMap, valueAt, type Strategy } from '../definition.ts';
import { fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';
import { fill, inItems, inMap } from './fill.ts';
import { defaultedTemplate } from './pod-defaults.ts';

type Hooks = Partial<Pick<Strategy, 'onCreate' | 'normalise' | 'validate' | 'statusKeeps'>>;

/** Fills in a spec and the pod template inside it. */
function workload(defaults: JsonObject, nested: readonly (readonly [string, JsonObject])[], status: JsonObject): Hooks {
  return {
    normalise: (object) =>
      inMap(object, 'spec', (spec) => {
        let filled = fill(spec, defaults);
        for (const [key, inner] of nested) filled = inMap(filled, key, (map) => rolling(map, inner));
        return inMap(filled, 'template', defaultedTemplate);
      }) as KubeObject,
    onCreate: (object) => ({ ...object, status }),
    validate: validateSelector,
  };
}

/** Only a rolling update has parameters to fill in. */
function rolling(strategy: JsonObject, defaults: JsonObject): JsonObject {
  const typed = fill(strategy, { type: 'RollingUpdate' });
  if (typed['type'] !== 'RollingUpdate') return typed;
  return inMap(fill(typed, { rollingUpdate: {} }), 'rollingUpdate', (update) => fill(update, defaults));
}

const DEPLOYMENT_ROLLING: JsonObject = { maxUnavailable: '25%', maxSurge: '25%' };

/** The selector is there, matches the template, and never changes. */
function validateSelector(object: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = valueAt(object, ['spec', 'selector']);
  if (!isMap(selector)) errors.push(fieldRequired('spec.selector', ''));
  else {
    const matcher = parseLabelSelector(selectorText(selector));
    const template = valueAt(object, ['spec', 'template', 'metadata']);
    const labels = isMap(template) && isMap(template['labels']) ? template['labels'] : {};
    if (typeof matcher === 'string' || !labelsMatch(matcher, { metadata: { labels } } as unknown as KubeObject))
      errors.push(fieldInvalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
    if (old !== undefined && !jsonEqual(selector, valueAt(old, ['spec', 'selector'])))
      errors.push(fieldInvalid('spec.selector', selector, 'field is immutable'));
  }
  const replicas = valueAt(object, ['spec', 'replicas']);
  if (typeof replicas === 'number' && replicas < 0)
    errors.push(fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0'));
  return errors;
}

const CLAIM: JsonObject = { volumeMode: 'Filesystem' };

const statefulSet: Hooks = workload(
  {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: {},
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  },
  [['updateStrategy', { partition: 0 }]],
  { replicas: 0, availableReplicas: 0 },
);

const JOB: JsonObject = {
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
};

const job: Hooks = {
  normalise: (object, old) => {
    const filled = inMap(object, 'spec', (spec) => {
      const single = spec['completions'] === undefined && spec['parallelism'] === undefined;
      const counted = fill(spec, single ? { completions: 1, parallelism: 1 } : { parallelism: 1 });
      const policy = spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed';
      return inMap(fill(counted, { ...JOB, podReplacementPolicy: policy }), 'template', defaultedTemplate);
    }) as KubeObject;
    const labels = valueAt(filled, ['spec', 'template', 'metadata', 'labels']);
    if (old !== undefined || filled.metadata.labels !== undefined || !isMap(labels)) return filled;
    return { ...filled, metadata: { ...filled.metadata, labels: labels as { readonly [key: string]: string } } };
  },
  onCreate: (object) => {
    const spec = isMap(object['spec']) ? object['spec'] : {};
    if (spec['manualSelector'] === true) return { ...object, status: {} };
    const { name = '', uid = '' } = object.metadata;
    const labels = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': name,
      'controller-uid': uid,
      'job-name': name,
    };
    const template = isMap(spec['template']) ? spec['template'] : {};
    const meta = isMap(template['metadata']) ? template['metadata'] : {};
    const own: JsonValue | undefined = meta['labels'];
    return {
      ...object,
      spec: {
        ...spec,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { ...template, metadata: { ...meta, labels: { ...(isMap(own) ? own : {}), ...labels } } },
      },
      status: {},
    };
  },
  validate: (object, old) => {
    if (old === undefined) return [];
    const errors: FieldError[] = [];
    for (const field of ['selector', 'completionMode', 'template'] as const) {
      const value = valueAt(object, ['spec', field]);
      if (!jsonEqual(value, valueAt(old, ['spec', field])))
        errors.push(fieldInvalid(`spec.${field}`, value ?? null, 'field is immutable'));
    }
    return errors;
  },
};

const cronJob: Hooks = {
  normalise: (object) =>
    inMap(object, 'spec', (spec) =>
      inMap(
        fill(spec, {
          concurrencyPolicy: 'Allow',
          suspend: false,
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 1,
        }),
        'jobTemplate',
        (template) => inMap(template, 'spec', (inner) => inMap(inner, 'template', defaultedTemplate)),
      ),
    ) as KubeObject,
  onCreate: (object) => ({ ...object, status: {} }),
};

/** Hooks by resource. */
export const WORKLOADS: { readonly [gr: string]: Hooks } = {
  'deployments.apps': {
    ...workload(
      { replicas: 1, strategy: {}, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
      [['strategy', DEPLOYMENT_ROLLING]],
      {},
    ),
    statusKeeps: 'labels',
  },
  'replicasets.apps': workload({ replicas: 1 }, [], { replicas: 0 }),
  'statefulsets.apps': {
    ...statefulSet,
    normalise: (object, old) => {
      const filled = statefulSet.normalise?.(object, old) ?? object;
      return inMap(filled, 'spec', (spec) =>
        inItems(spec, 'volumeClaimTemplates', (claim) =>
          fill(
            inMap(fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }), 'spec', (one) => fill(one, CLAIM)),
            { status: { phase: 'Pending' } },
          ),
        ),
      ) as KubeObject;
    },
  },
  'daemonsets.apps': workload(
    { updateStrategy: {}, revisionHistoryLimit: 10 },
    [['updateStrategy', { maxUnavailable: 1, maxSurge: 0 }]],
    { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
  ),
  'jobs.batch': job,
  'cronjobs.batch': cronJob,
};
