/** Validates Jobs, also inside CronJobs (k8s.io/kubernetes `pkg/apis/batch/validation`). */
import { jsonEqual } from '../../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../objects/object.ts';
import { without } from '../defaults/rules.ts';
import { inItems } from '../fill.ts';
import { mapOf, mapsOf, type Problems, shown, type Validator } from './problems.ts';
import { matches, validateMatch, validateTemplate } from './templates.ts';

/** Validates a Job's spec, also inside a CronJob, where it has no selector yet. */
export function validateJobSpec(spec: JsonObject, path: string, found: Problems): void {
  for (const field of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ])
    found.nonNegative(`${path}.${field}`, spec[field]);
  found.oneOfIfAny(`${path}.completionMode`, spec['completionMode'], ['NonIndexed', 'Indexed']);
  if (spec['completionMode'] === 'Indexed' && spec['completions'] === undefined)
    found.required(`${path}.completions`, 'when completion mode is Indexed');
  validateTemplate(mapOf(spec['template']), `${path}.template`, found);
  const restart = mapOf(mapOf(spec['template'])['spec'])['restartPolicy'];
  const at = `${path}.template.spec.restartPolicy`;
  if (restart === undefined || restart === 'Always') found.required(at, 'valid values: "OnFailure", "Never"');
  else found.oneOfIfAny(at, restart, ['OnFailure', 'Never']);
}

export const validateJob: Validator = (object, old, found, subresource) => {
  if (subresource === 'status') return;
  const spec = mapOf(object['spec']);
  const before = old === undefined ? undefined : mapOf(old['spec']);
  generatedLabels(object, spec, before === undefined ? undefined : mapOf(before['template']), found);
  validateSelectingJob(spec, found);
  if (before === undefined) return;
  // A real server validates an updated Job as a new one first, and then as an update.
  validateSelectingJob(spec, found);
  if (spec['completionMode'] !== 'Indexed')
    found.immutable('spec.completions', spec['completions'], before['completions']);
  found.immutable('spec.selector', spec['selector'], before['selector']);
  validateJobTemplate(spec, before, mapOf(old?.['status']), found);
  for (const field of ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'])
    found.immutable(`spec.${field}`, spec[field], before[field]);
};

/** Validates the updated template of a Job: scheduling and resources are mutable while the Job is suspended. */
function validateJobTemplate(spec: JsonObject, old: JsonObject, status: JsonObject, found: Problems): void {
  const paused = mapsOf(status['conditions']).some((one) => one['type'] === 'Suspended' && one['status'] === 'True');
  const idle = (status['startTime'] === undefined || paused) && Number(status['active'] ?? 0) === 0;
  if (old['suspend'] !== true || !idle) {
    found.immutable('spec.template', spec['template'], old['template']);
    return;
  }
  const pods = mapOf(mapOf(spec['template'])['spec']);
  const free = { ...unresourced(pods), affinity: withoutNodes(pods) };
  const was = mapOf(mapOf(old['template'])['spec']);
  if (!jsonEqual(free, { ...unresourced(was), affinity: withoutNodes(was) }))
    found.invalid('spec.template.spec', pods, 'field is immutable');
}

const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates', 'affinity'];

function unresourced(pods: JsonObject): JsonObject {
  const bare = (container: JsonObject): JsonObject => without(container, 'resources');
  return inItems(inItems(SCHEDULING.reduce(without, pods), 'containers', bare), 'initContainers', bare);
}

/** Returns the affinity without node affinity; an empty affinity counts as none. */
function withoutNodes(pods: JsonObject): JsonObject {
  return without(mapOf(pods['affinity']), 'nodeAffinity');
}

function validateSelectingJob(spec: JsonObject, found: Problems): void {
  validateJobSpec(spec, 'spec', found);
  if ((spec['selector'] ?? undefined) === undefined) found.required('spec.selector');
  else found.labelSelector('spec.selector', spec['selector']);
  validateMatch(spec, 'spec', found);
}

/** Validates the generated labels that a generated selector requires. `old`: the old spec, which may predate prefixed labels. */
function generatedLabels(
  { metadata }: KubeObject,
  spec: JsonObject,
  old: JsonObject | undefined,
  found: Problems,
): void {
  if (spec['manualSelector'] === true || (spec['selector'] ?? undefined) === undefined) return;
  const { name = '', uid = '' } = metadata;
  const before = old === undefined ? undefined : labelsOf(old);
  const prefixed = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name };
  const wanted = before === undefined || Object.keys(prefixed).every((label) => before[label] !== undefined);
  const expected: JsonObject = { 'controller-uid': uid, 'job-name': name, ...(wanted ? prefixed : {}) };
  const labels = labelsOf(spec['template']);
  for (const [label, value] of Object.entries(expected)) {
    const at = `spec.template.metadata.labels[${label}]`;
    if (labels[label] === undefined) found.required(at, `must be '${shown(value)}'`);
    else if (labels[label] !== value) found.invalid(at, labels, `must be '${shown(value)}'`);
  }
  if (!matches(spec['selector'], expected))
    found.invalid('spec.selector', spec['selector'], '`selector` not auto-generated');
}

function labelsOf(template: JsonValue | undefined): JsonObject {
  return mapOf(mapOf(mapOf(template)['metadata'])['labels']);
}
