/** Workload kinds, except for their defaults: initial status, generated fields of Jobs (k8s.io/kubernetes `pkg/registry/{apps,batch}`). */
import { isMap, valueAt, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import { startingWith, type Hooks } from './hooks.ts';
import { mapIn } from './defaults/rules.ts';
import { fill, inMap } from './fill.ts';

/**
 * Returns a Job with its generated fields. A Job without labels gets the labels of its template, including the generated ones, because a
 * real server defaults the stored object again when it reads it.
 */
function newJob(object: KubeObject): KubeObject {
  const spec = mapIn(object, 'spec');
  const template = mapIn(spec, 'template');
  const meta = mapIn(template, 'metadata');
  const { name = '', uid = '' } = object.metadata;
  const manual = spec['manualSelector'] === true;
  const labels = manual ? mapIn(meta, 'labels') : fill(mapIn(meta, 'labels'), jobLabels(name, uid));
  const shares = Object.keys(object.metadata.labels ?? {}).length === 0 && Object.keys(labels).length > 0;
  const metadata = shares
    ? { ...object.metadata, labels: labels as { readonly [key: string]: string } }
    : object.metadata;
  if (manual) return { ...object, metadata, status: {} };
  const selector = mapIn(spec, 'selector');
  const matchLabels = fill(mapIn(selector, 'matchLabels'), { 'batch.kubernetes.io/controller-uid': uid });
  return {
    ...object,
    metadata,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...meta, labels } },
    },
    status: {},
  };
}

function jobLabels(name: string, uid: string): JsonObject {
  return {
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
}

/** Defaults labels to those of the template. */
function labelledByTemplate(object: KubeObject): KubeObject {
  const labels = valueAt(object, ['spec', 'template', 'metadata', 'labels']);
  if (!isMap(labels) || Object.keys(object.metadata.labels ?? {}).length > 0) return object;
  return { ...object, metadata: { ...object.metadata, labels: labels as { readonly [key: string]: string } } };
}

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Sets templateGeneration, which is a field of the internal type and an annotation in the served versions. */
function numberedTemplate(object: KubeObject, old: KubeObject | undefined): KubeObject {
  const before = Number(old?.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
  const asked = Number(object.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
  const changed =
    old !== undefined && !jsonEqual(valueAt(object, ['spec', 'template']), valueAt(old, ['spec', 'template']));
  const number = String(old === undefined ? Math.max(1, asked) : before + (changed ? 1 : 0));
  const { annotations } = object.metadata;
  if (annotations?.[TEMPLATE_GENERATION] === number) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [TEMPLATE_GENERATION]: number } },
  };
}

/** Adds templateGeneration: it cannot be absent in the internal type, so every update counts as setting it. */
function withTemplateNumber(object: KubeObject): KubeObject {
  const annotations = fill(object.metadata.annotations ?? {}, { [TEMPLATE_GENERATION]: '0' });
  if (annotations === object.metadata.annotations) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: annotations as { readonly [key: string]: string } },
  };
}

function withReplicas(object: KubeObject): KubeObject {
  return inMap(object, 'spec', (spec) => fill(spec, { replicas: 0 })) as KubeObject;
}

const job: Hooks = {
  // Labels from the template count as sent by the client.
  converted: labelledByTemplate,
  normalise: (object, old) => (old === undefined ? object : labelledByTemplate(object)),
  onCreate: newJob,
  readsMore: (object) => Object.keys(labelsOf(object)).length === 0 && mapIn(object, 'spec')['manualSelector'] !== true,
};

/** Returns the labels that count as sent with a Job: its own, otherwise those of its template. */
function labelsOf(object: KubeObject): JsonObject {
  const { labels = {} } = object.metadata;
  if (Object.keys(labels).length > 0) return labels;
  return mapIn(mapIn(mapIn(mapIn(object, 'spec'), 'template'), 'metadata'), 'labels');
}

/** Hooks by resource. */
export const WORKLOADS: { readonly [gr: string]: Hooks } = {
  'deployments.apps': { ...startingWith({}), converted: withReplicas, statusKeeps: 'labels' },
  'replicasets.apps': { ...startingWith({ replicas: 0 }), converted: withReplicas },
  'statefulsets.apps': { ...startingWith({ replicas: 0, availableReplicas: 0 }), converted: withReplicas },
  'daemonsets.apps': {
    ...startingWith({ currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 }),
    converted: withTemplateNumber,
    normalise: numberedTemplate,
  },
  replicationcontrollers: { ...startingWith({ replicas: 0 }), normalise: labelledByTemplate },
  'jobs.batch': job,
  'cronjobs.batch': startingWith({}),
};
