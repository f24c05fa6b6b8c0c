/** Workload kinds (k8s.io/kubernetes `pkg/apis/{apps,batch}/validation`): validation and immutable fields. */
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import { jsonEqual } from '../../../objects/json.ts';
import { scheduleError } from './cron-schedule.ts';
import { validateJobSpec, validateJob } from './jobs.ts';
import { listOf, mapOf, mapsOf, type Problems, shown, textOf, type Validator } from './problems.ts';
import { STATUS_RULES, type StatusValidator } from './statuses.ts';
import { validateLastingTemplate, validateMatch, validateSelector, validateTemplate } from './templates.ts';

type SpecValidator = (spec: JsonObject, old: JsonObject | undefined, found: Problems) => void;

/** Returns a validator that skips an unchanged spec, which was validated before. */
function specs(validateSpec: SpecValidator): Validator {
  return (object, old, found) => {
    if (old === undefined || object['spec'] !== old['spec'])
      validateSpec(mapOf(object['spec']), old === undefined ? undefined : mapOf(old['spec']), found);
  };
}

function immutable(spec: JsonObject, old: JsonObject | undefined, field: string, found: Problems): void {
  if (old !== undefined) found.immutable(`spec.${field}`, spec[field], old[field]);
}

/** Validates the spec of a kind with replicas; its template is skipped when the selector is invalid. */
function validateReplicated(spec: JsonObject, found: Problems): void {
  if (!validateSelector(spec, 'spec', 'deployment', found)) {
    found.invalid('spec.selector', spec['selector'], 'invalid label selector');
    return;
  }
  validateMatch(spec, 'spec', found);
  validateLastingTemplate(mapOf(spec['template']), 'spec.template', 'ReplicaSet', found);
}

const deployment: SpecValidator = (spec, old, found) => {
  found.nonNegative('spec.replicas', spec['replicas']);
  validateReplicated(spec, found);
  deploymentStrategy(mapOf(spec['strategy']), found);
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  found.nonNegative('spec.minReadySeconds', minReadySeconds);
  found.nonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']);
  found.nonNegative('spec.progressDeadlineSeconds', progressDeadlineSeconds);
  if (typeof progressDeadlineSeconds === 'number' && progressDeadlineSeconds <= Number(minReadySeconds))
    found.invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds');
  immutable(spec, old, 'selector', found);
};

function deploymentStrategy(strategy: JsonObject, found: Problems): void {
  const { type, rollingUpdate } = strategy;
  const path = 'spec.strategy';
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined)
      found.forbidden(`${path}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type === 'RollingUpdate') {
    const { maxUnavailable, maxSurge } = mapOf(rollingUpdate);
    const at = `${path}.rollingUpdate`;
    countOrPercent(maxUnavailable, `${at}.maxUnavailable`, found);
    countOrPercent(maxSurge, `${at}.maxSurge`, found);
    if (isZero(maxUnavailable) && isZero(maxSurge))
      found.invalid(`${at}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0');
    atMostAll(maxUnavailable, `${at}.maxUnavailable`, found);
  } else found.unsupported(path, type, ['Recreate', 'RollingUpdate']);
}

const PERCENT = /^[0-9]+%$/;
const PERCENT_TEXT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function countOrPercent(value: JsonValue | undefined, path: string, found: Problems): void {
  if (typeof value === 'string') {
    if (!PERCENT.test(value)) found.invalid(path, value, PERCENT_TEXT);
  } else found.nonNegative(path, value);
}

export function atMostAll(value: JsonValue | undefined, path: string, found: Problems): void {
  if (typeof value === 'string' && PERCENT.test(value) && Number.parseInt(value, 10) > 100)
    found.invalid(path, value, 'must not be greater than 100%');
}

function isZero(value: JsonValue | undefined): boolean {
  return value === undefined || Number.parseInt(shown(value), 10) === 0;
}

const replicaSet: SpecValidator = (spec, old, found) => {
  found.nonNegative('spec.replicas', spec['replicas']);
  found.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  validateReplicated(spec, found);
  immutable(spec, old, 'selector', found);
};

const STATEFUL_MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const statefulSet: SpecValidator = (spec, old, found) => {
  const { podManagementPolicy, updateStrategy } = spec;
  if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel')
    found.invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'");
  const { type, rollingUpdate } = mapOf(updateStrategy);
  if (type === 'OnDelete') {
    if (rollingUpdate !== undefined)
      found.invalid(
        'spec.updateStrategy.rollingUpdate',
        rollingUpdate,
        "only allowed for updateStrategy 'RollingUpdate'",
      );
  } else if (type === 'RollingUpdate') {
    found.nonNegative('spec.updateStrategy.rollingUpdate.partition', mapOf(rollingUpdate)['partition']);
  } else
    found.invalid(
      'spec.updateStrategy',
      // A real server prints the strategy as its internal type.
      { Type: type ?? '', RollingUpdate: rollingUpdate ?? null },
      "must be 'RollingUpdate' or 'OnDelete'",
    );
  found.nonNegative('spec.replicas', spec['replicas']);
  found.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  const service = textOf(spec['serviceName']);
  if (old === undefined && service !== '') found.dnsLabel('spec.serviceName', service);
  const isUsable = validateSelector(spec, 'spec', 'statefulset', found);
  if (isUsable) validateMatch(spec, 'spec', found);
  else found.invalid('spec.selector', spec['selector'], '');
  // Containers can mount the volumes that the controller adds to each pod.
  const claims = mapsOf(spec['volumeClaimTemplates']);
  const template = mapOf(spec['template']);
  const podSpec = mapOf(template['spec']);
  const added = claims.map((claim) => {
    const name = textOf(mapOf(claim['metadata'])['name']);
    return { name, persistentVolumeClaim: { claimName: name } };
  });
  const kept = listOf(podSpec['volumes']).filter((volume) => !added.some(({ name }) => name === mapOf(volume)['name']));
  const volumes = [...added, ...kept];
  const { hostname: _, subdomain: __, ...validated } = podSpec;
  const whole = { ...template, spec: volumes.length === 0 ? validated : { ...validated, volumes } };
  if (isUsable) validateTemplate(whole, 'spec.template', found);
  if (podSpec['restartPolicy'] !== 'Always')
    found.unsupported('spec.template.spec.restartPolicy', podSpec['restartPolicy'], ['Always']);
  if (podSpec['activeDeadlineSeconds'] !== undefined)
    found.forbidden(
      'spec.template.spec.activeDeadlineSeconds',
      'activeDeadlineSeconds in StatefulSet is not Supported',
    );
  if (old !== undefined && !jsonEqual(without(spec, STATEFUL_MUTABLE), without(old, STATEFUL_MUTABLE)))
    found.forbidden(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    );
};

function without(map: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

const daemonSet: SpecValidator = (spec, old, found) => {
  immutable(spec, old, 'selector', found);
  // An absent selector matches nothing, and a selector is not required.
  if ((spec['selector'] ?? undefined) !== undefined) found.labelSelector('spec.selector', spec['selector']);
  validateMatch(spec, 'spec', found);
  if ((spec['selector'] ?? undefined) !== undefined) {
    const { matchLabels, matchExpressions } = mapOf(spec['selector']);
    if (Object.keys(mapOf(matchLabels)).length + listOf(matchExpressions).length === 0)
      found.invalid('spec.selector', spec['selector'], 'empty selector is invalid for daemonset');
  }
  validateLastingTemplate(mapOf(spec['template']), 'spec.template', 'DaemonSet', found);
  found.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  daemonStrategy(mapOf(spec['updateStrategy']), found);
  found.nonNegative('spec.revisionHistoryLimit', spec['revisionHistoryLimit']);
};

function daemonStrategy({ type, rollingUpdate }: JsonObject, found: Problems): void {
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') {
    found.unsupported('spec.updateStrategy', type, ['RollingUpdate', 'OnDelete']);
    return;
  }
  const at = 'spec.updateStrategy.rollingUpdate';
  const { maxUnavailable, maxSurge } = mapOf(rollingUpdate);
  countOrPercent(maxUnavailable, `${at}.maxUnavailable`, found);
  countOrPercent(maxSurge, `${at}.maxSurge`, found);
  atMostAll(maxUnavailable, `${at}.maxUnavailable`, found);
  atMostAll(maxSurge, `${at}.maxSurge`, found);
  if (!isZero(maxUnavailable) && !isZero(maxSurge))
    found.invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero');
  if (isZero(maxUnavailable) && isZero(maxSurge))
    found.required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0');
}

const replicationController: SpecValidator = (spec, _, found) => {
  found.nonNegative('spec.minReadySeconds', spec['minReadySeconds']);
  const selector = mapOf(spec['selector']);
  if (Object.keys(selector).length === 0) found.required('spec.selector');
  found.nonNegative('spec.replicas', spec['replicas']);
  if (spec['template'] === undefined) {
    found.required('spec.template');
    return;
  }
  validateMatch({ ...spec, selector: { matchLabels: selector } }, 'spec', found);
  validateLastingTemplate(mapOf(spec['template']), 'spec.template', 'ReplicationController', found);
};

const cronJob: SpecValidator = (spec, old, found) => {
  const schedule = textOf(spec['schedule']);
  if (schedule === '') found.required('spec.schedule');
  else {
    const error = scheduleError(schedule);
    if (error !== undefined) found.invalid('spec.schedule', schedule, error);
    if (schedule.includes('TZ') && !textOf(old?.['schedule']).includes('TZ'))
      found.invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  }
  found.nonNegative('spec.startingDeadlineSeconds', spec['startingDeadlineSeconds']);
  const zone = spec['timeZone'];
  if (typeof zone === 'string' && zone !== old?.['timeZone'] && !isTimeZone(zone))
    found.invalid('spec.timeZone', zone, `unknown time zone ${zone}`);
  found.oneOf('spec.concurrencyPolicy', spec['concurrencyPolicy'], ['Allow', 'Forbid', 'Replace']);
  const template = mapOf(spec['jobTemplate']);
  const inner = mapOf(template['spec']);
  validateJobSpec(inner, 'spec.jobTemplate.spec', found);
  if (inner['manualSelector'] === true)
    found.unsupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']);
  found.nonNegative('spec.successfulJobsHistoryLimit', spec['successfulJobsHistoryLimit']);
  found.nonNegative('spec.failedJobsHistoryLimit', spec['failedJobsHistoryLimit']);
};

function isTimeZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).format(0) !== '';
  } catch {
    return false;
  }
}

/** Validators of specs by resource. */
const SPEC_RULES: { readonly [gr: string]: Validator } = {
  'cronjobs.batch': specs(cronJob),
  'daemonsets.apps': specs(daemonSet),
  'deployments.apps': specs(deployment),
  'jobs.batch': validateJob,
  'replicasets.apps': specs(replicaSet),
  replicationcontrollers: specs(replicationController),
  'statefulsets.apps': specs(statefulSet),
  podtemplates: (object, old, found) => {
    if (old === undefined || object['template'] !== old['template'])
      validateTemplate(mapOf(object['template']), 'template', found);
  },
};

/** Validators by resource: of specs, and of statuses that changed. */
export const WORKLOAD_RULES: { readonly [gr: string]: Validator } = Object.fromEntries(
  Object.entries(SPEC_RULES).map(([gr, validate]) => [gr, withStatus(validate, STATUS_RULES[gr])]),
);

function withStatus(validate: Validator, validateStatus: StatusValidator | undefined): Validator {
  return (object, old, found, subresource) => {
    validate(object, old, found, subresource);
    const { status } = object;
    if (old !== undefined && status !== old['status'] && !jsonEqual(status, old['status']))
      validateStatus?.(mapOf(status), found);
  };
}
