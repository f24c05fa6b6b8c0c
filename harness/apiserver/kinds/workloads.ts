/**
 * Workload kinds beyond their defaults: first status, selectors, what a Job is given (k8s.io/kubernetes `pkg/registry/{apps,batch}`).
 */
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { jsonEqual } from '../../model/leaf.ts';
import { isMap, valueAt, type Strategy } from '../definition.ts';
import { fieldInvalid, fieldRequired, type FieldError } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';

type Hooks = Partial<Pick<Strategy, 'onCreate' | 'normalise' | 'validate' | 'statusKeeps'>>;

/** A kind with a selector and a template. */
function workload(status: JsonObject): Hooks {
  return { onCreate: (object) => ({ ...object, status }), validate: validateSelector };
}

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

const job: Hooks = {
  /** Labels come from the template when there are none. */
  normalise: (object) => {
    const labels = valueAt(object, ['spec', 'template', 'metadata', 'labels']);
    if (!isMap(labels) || Object.keys(object.metadata.labels ?? {}).length > 0) return object;
    return { ...object, metadata: { ...object.metadata, labels: labels as { readonly [key: string]: string } } };
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

/** Hooks by resource. */
export const WORKLOADS: { readonly [gr: string]: Hooks } = {
  'deployments.apps': { ...workload({}), statusKeeps: 'labels' },
  'replicasets.apps': workload({ replicas: 0 }),
  'statefulsets.apps': workload({ replicas: 0, availableReplicas: 0 }),
  'daemonsets.apps': workload({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  }),
  'jobs.batch': job,
  'cronjobs.batch': { onCreate: (object) => ({ ...object, status: {} }) },
};
