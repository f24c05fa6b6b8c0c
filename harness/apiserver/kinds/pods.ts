/**
 * Pods: what admission that is on by default adds to them, their first status, and how little of them may change.
 *
 * Owns: the plugins Priority and DefaultTolerationSeconds. Defaults are in `defaults/core.ts`.
 */
import { isList, isMap } from '../../model/json.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import { jsonEqual } from '../../model/leaf.ts';
import { type Stored } from '../definition.ts';
import { mapIn } from './defaults/rules.ts';
import type { FieldError } from '../refusal.ts';
import { fill, inItems, inMap } from './fill.ts';
import { fillPodLimits } from './limit-ranger.ts';
import { validatePodSpec } from './validation/pod-spec.ts';
import { Problems } from './validation/problems.ts';

/** Added by the Priority and DefaultTolerationSeconds admission plugins, which are on by default. */
const ADMITTED: JsonObject = { preemptionPolicy: 'PreemptLowerPriority', priority: 0 };
const TOLERATIONS: readonly JsonObject[] = ['not-ready', 'unreachable'].map((taint) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

/** A pod as admission leaves it. */
export function admittedPod(pod: KubeObject, old: KubeObject | undefined): KubeObject {
  const { priority, preemptionPolicy } = mapIn(old ?? pod, 'spec');
  return inMap(pod, 'spec', (spec) => {
    const filled = fill(fill(spec, old === undefined ? {} : { priority, preemptionPolicy }), ADMITTED);
    const tolerations = isList(filled['tolerations']) ? filled['tolerations'] : [];
    const missing = TOLERATIONS.filter((one) => !tolerations.some((other) => isMap(other) && tolerates(other, one)));
    return missing.length === 0 ? filled : { ...filled, tolerations: [...tolerations, ...missing] };
  }) as KubeObject;
}

/** Priorities by class, and overhead that a runtime class has to declare. */
export function admitPod(given: JsonObject, stored: Stored, namespace: string): JsonObject | string {
  const pod = fillPodLimits(given, stored, namespace);
  const spec = mapIn(pod, 'spec');
  const runtime = spec['runtimeClassName'];
  const runtimes = stored('runtimeclasses.node.k8s.io');
  const runtimeClass = runtimes.find(({ metadata }) => metadata.name === runtime);
  if (runtime !== undefined && runtimeClass === undefined)
    return `pod rejected: RuntimeClass ${JSON.stringify(runtime)} not found`;
  const overhead = runtimeClass === undefined ? {} : mapIn(mapIn(runtimeClass, 'overhead'), 'podFixed');
  if (spec['overhead'] !== undefined && !jsonEqual(spec['overhead'], overhead))
    return runtimeClass?.['overhead'] === undefined
      ? 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'
      : 'pod rejected: Pod.Spec.Overhead must match the RuntimeClass overhead';
  const named = Object.keys(overhead).length === 0 ? spec : fill(spec, { overhead });
  const prioritised = withPriority(named, stored('priorityclasses.scheduling.k8s.io'));
  if (typeof prioritised === 'string') return prioritised;
  return prioritised === spec ? pod : { ...pod, spec: prioritised };
}

/** Classes that a server has from the start, whether they are stored or not. */
const SYSTEM_PRIORITIES: { readonly [name: string]: number } = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

function withPriority(spec: JsonObject, classes: readonly KubeObject[]): JsonObject | string {
  const name = spec['priorityClassName'];
  const chosen =
    typeof name === 'string' && name !== ''
      ? classes.find(({ metadata }) => metadata.name === name)
      : lowestDefault(classes);
  const system = typeof name === 'string' ? SYSTEM_PRIORITIES[name] : undefined;
  if (typeof name === 'string' && name !== '' && chosen === undefined && system === undefined)
    return `no PriorityClass with name ${name} was found`;
  const priority = chosen?.['value'] ?? system ?? 0;
  if (spec['priority'] !== undefined && spec['priority'] !== priority)
    return `the integer value of priority (${JSON.stringify(spec['priority'])}) must not be provided in pod spec; priority admission controller computed ${JSON.stringify(priority)} from the given PriorityClass name`;
  const preemptionPolicy = chosen?.['preemptionPolicy'] ?? 'PreemptLowerPriority';
  const named = chosen === undefined ? spec : fill(spec, { priorityClassName: chosen.metadata.name ?? '' });
  return fill(named, { priority, preemptionPolicy });
}

function lowestDefault(classes: readonly KubeObject[]): KubeObject | undefined {
  return classes
    .filter((one) => one['globalDefault'] === true)
    .toSorted((a, b) => Number(a['value']) - Number(b['value']))[0];
}

function tolerates(toleration: JsonObject, wanted: JsonObject): boolean {
  const { key, effect } = toleration;
  return (key === undefined || key === wanted['key']) && (effect === undefined || effect === wanted['effect']);
}

/** The status a pod starts with. */
export function pendingPod(pod: KubeObject): KubeObject {
  return { ...pod, status: { phase: 'Pending', qosClass: qosClass(pod) } };
}

function qosClass(pod: KubeObject): string {
  const spec = pod['spec'];
  const containers = isMap(spec) && isList(spec['containers']) ? spec['containers'].filter(isMap) : [];
  let any = false;
  let guaranteed = containers.length > 0;
  for (const { resources } of containers) {
    const limits = isMap(resources) && isMap(resources['limits']) ? resources['limits'] : {};
    const requests = isMap(resources) && isMap(resources['requests']) ? resources['requests'] : {};
    if (Object.keys(limits).length + Object.keys(requests).length > 0) any = true;
    for (const name of ['cpu', 'memory'])
      if (limits[name] === undefined || !jsonEqual(limits[name], requests[name])) guaranteed = false;
  }
  return guaranteed ? 'Guaranteed' : any ? 'Burstable' : 'BestEffort';
}

const FROZEN =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What a pod must be, and how little of it may change. */
export function validatePod(pod: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  if (old !== undefined && pod['spec'] === old['spec']) return [];
  const found = new Problems();
  validatePodSpec(mapIn(pod, 'spec'), 'spec', found);
  if (old === undefined || jsonEqual(pod['spec'], old['spec'])) return found.list;
  if (!jsonEqual(frozenPart(pod), frozenPart(old))) found.forbidden('spec', FROZEN);
  return found.list;
}

function frozenPart(pod: KubeObject): JsonObject {
  const spec = isMap(pod['spec']) ? pod['spec'] : {};
  const { activeDeadlineSeconds: _, tolerations: __, ephemeralContainers: ___, ...rest } = spec;
  const bare = (one: JsonObject): JsonObject => ({ ...one, image: '' });
  return inItems(inItems(rest, 'containers', bare), 'initContainers', bare);
}
