/** The cells of workloads, autoscalers and quotas. */
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { humanDuration, since } from './age.ts';
import { at, containers, count, labelsText, maps, number, selectorText, text } from './reading.ts';
import { podCells } from './pods.ts';
import { age, name, type Printer } from './printer.ts';

const replicas = (object: KubeObject): number => number(at(object, 'spec', 'replicas'));
const status = (object: KubeObject, field: string): number => number(at(object, 'status', field));
const selector = (object: KubeObject): string => selectorText(at(object, 'spec', 'selector')) || '<none>';

function podMetrics(specs: JsonValue | undefined, statuses: JsonValue | undefined): string {
  const current = maps(statuses);
  const shown = maps(specs).map((spec, index) => metric(spec, current[index]));
  if (shown.length === 0) return '<none>';
  const list = shown.slice(0, 2).join(', ');
  return shown.length > 2 ? `${list} + ${shown.length - 2} more...` : list;
}

const SOURCES: { readonly [type: string]: string } = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metric(spec: JsonObject, status: JsonObject | undefined): string {
  const source = SOURCES[text(spec['type'])];
  if (source === undefined) return '<unknown type>';
  const wanted = at(spec, source, 'target');
  const now = at(status, source, 'current');
  const average = text(at(wanted, 'averageValue'));
  if (source === 'resource' || source === 'containerResource') {
    const label = text(at(spec, source, 'name'));
    if (average !== '') return `${label}: ${text(at(now, 'averageValue'), '<unknown>')}/${average}`;
    const percent = (value: JsonValue | undefined, otherwise: string): string =>
      typeof value === 'number' ? `${value}%` : otherwise;
    const target = percent(at(wanted, 'averageUtilization'), '<auto>');
    return `${label}: ${percent(at(now, 'averageUtilization'), '<unknown>')}/${target}`;
  }
  if (source === 'pods') return `${text(at(now, 'averageValue'), '<unknown>')}/${average}`;
  if (average !== '') return `${text(at(now, 'averageValue'), '<unknown>')}/${average} (avg)`;
  return `${text(at(now, 'value'), '<unknown>')}/${text(at(wanted, 'value'))}`;
}

const JOB_STATES: readonly (readonly [condition: string, shown: string])[] = [
  ['Suspended', 'Suspended'],
  ['FailureTarget', 'FailureTarget'],
  ['SuccessCriteriaMet', 'SuccessCriteriaMet'],
];

function jobState(job: KubeObject): string {
  const conditions = maps(at(job, 'status', 'conditions'));
  const is = (type: string): boolean => conditions.find((one) => one['type'] === type)?.['status'] === 'True';
  if (is('Complete')) return 'Complete';
  if (is('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return JOB_STATES.find(([condition]) => is(condition))?.[1] ?? 'Running';
}

function jobCompletions(job: KubeObject): string {
  const succeeded = status(job, 'succeeded');
  const completions = at(job, 'spec', 'completions');
  if (typeof completions === 'number') return `${succeeded}/${completions}`;
  const parallelism = number(at(job, 'spec', 'parallelism'));
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: KubeObject, now: number): string {
  const start = at(job, 'status', 'startTime');
  if (typeof start !== 'string') return '';
  const end = at(job, 'status', 'completionTime');
  return typeof end === 'string' ? humanDuration(Date.parse(end) - Date.parse(start)) : since(start, now);
}

function orUnavailable(value: JsonValue | undefined): string {
  return value === undefined ? 'N/A' : text(value);
}

const replicaSet: Printer = (object, now) => [
  name(object),
  replicas(object),
  status(object, 'replicas'),
  status(object, 'readyReplicas'),
  age(object, now),
  ...containers(at(object, 'spec', 'template')),
];

/** Printers by resource and group. */
export const WORKLOADS: { readonly [gr: string]: Printer } = {
  pods: podCells,
  podtemplates: (object) => [
    name(object),
    ...containers(at(object, 'template')),
    labelsText(at(object, 'template', 'metadata', 'labels')),
  ],
  replicationcontrollers: (object, now) => [...replicaSet(object, now), labelsText(at(object, 'spec', 'selector'))],
  'replicasets.apps': (object, now) => [...replicaSet(object, now), selector(object)],
  'deployments.apps': (object, now) => [
    name(object),
    `${status(object, 'readyReplicas')}/${replicas(object)}`,
    status(object, 'updatedReplicas'),
    status(object, 'availableReplicas'),
    age(object, now),
    ...containers(at(object, 'spec', 'template')),
    selectorText(at(object, 'spec', 'selector')),
  ],
  'statefulsets.apps': (object, now) => [
    name(object),
    `${status(object, 'readyReplicas')}/${replicas(object)}`,
    age(object, now),
    ...containers(at(object, 'spec', 'template')),
  ],
  'daemonsets.apps': (object, now) => [
    name(object),
    status(object, 'desiredNumberScheduled'),
    status(object, 'currentNumberScheduled'),
    status(object, 'numberReady'),
    status(object, 'updatedNumberScheduled'),
    status(object, 'numberAvailable'),
    labelsText(at(object, 'spec', 'template', 'spec', 'nodeSelector')),
    age(object, now),
    ...containers(at(object, 'spec', 'template')),
    selector(object),
  ],
  'controllerrevisions.apps': (object, now) => {
    const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
    const group = owner?.apiVersion.includes('/') === true ? `.${owner.apiVersion.split('/', 1)[0] ?? ''}` : '';
    const shown = owner === undefined ? '<none>' : `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
    return [name(object), shown, number(object['revision']), age(object, now)];
  },
  'jobs.batch': (object, now) => [
    name(object),
    jobState(object),
    jobCompletions(object),
    jobDuration(object, now),
    age(object, now),
    ...containers(at(object, 'spec', 'template')),
    selector(object),
  ],
  'cronjobs.batch': (object, now) => {
    const suspend = at(object, 'spec', 'suspend');
    const last = at(object, 'status', 'lastScheduleTime');
    const job = at(object, 'spec', 'jobTemplate', 'spec');
    return [
      name(object),
      text(at(object, 'spec', 'schedule')),
      text(at(object, 'spec', 'timeZone'), '<none>'),
      suspend === undefined ? '<unset>' : suspend === true ? 'True' : 'False',
      count(at(object, 'status', 'active')),
      last === undefined ? '<none>' : since(last, now),
      age(object, now),
      ...containers(at(job, 'template')),
      selectorText(at(job, 'selector')) || '<none>',
    ];
  },
  'horizontalpodautoscalers.autoscaling': (object, now) => [
    name(object),
    `${text(at(object, 'spec', 'scaleTargetRef', 'kind'))}/${text(at(object, 'spec', 'scaleTargetRef', 'name'))}`,
    podMetrics(at(object, 'spec', 'metrics'), at(object, 'status', 'currentMetrics')),
    text(at(object, 'spec', 'minReplicas'), '<unset>'),
    number(at(object, 'spec', 'maxReplicas')),
    status(object, 'currentReplicas'),
    age(object, now),
  ],
  'poddisruptionbudgets.policy': (object, now) => [
    name(object),
    orUnavailable(at(object, 'spec', 'minAvailable')),
    orUnavailable(at(object, 'spec', 'maxUnavailable')),
    status(object, 'disruptionsAllowed'),
    age(object, now),
  ],
};
