/**
 * Pods: default admission plugins, initial status, and allowed updates.
 *
 * Owns: the plugins Priority and DefaultTolerationSeconds. Defaults are in `defaults/core.ts`.
 */
import { isList, isMap, jsonEqual } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { type Stored } from '../definition.ts';
import { inMade, mapIn } from './defaults/rules.ts';
import { fill, inItems, inMap } from './fill.ts';
import { fillPodLimits } from './limit-ranger.ts';
import { validatePodSpec } from './validation/pod-spec.ts';
import { listOf, mapsOf, type Problems, textOf, type Validator } from './validation/problems.ts';

/** The fields that the Priority and DefaultTolerationSeconds admission plugins add; these plugins are enabled by default. */
const ADMITTED: JsonObject = { preemptionPolicy: 'PreemptLowerPriority', priority: 0 };
const TOLERATIONS: readonly JsonObject[] = ['not-ready', 'unreachable'].map((taint) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

/** Returns a pod after admission. */
export function admittedPod(pod: KubeObject, old: KubeObject | undefined): KubeObject {
  const { priority, preemptionPolicy } = mapIn(old ?? pod, 'spec');
  return inMap(pod, 'spec', (spec) => {
    const filled = fill(fill(spec, old === undefined ? {} : { priority, preemptionPolicy }), ADMITTED);
    const tolerations = isList(filled['tolerations']) ? filled['tolerations'] : [];
    const missing = TOLERATIONS.filter((one) => !tolerations.some((other) => isMap(other) && tolerates(other, one)));
    return missing.length === 0 ? filled : { ...filled, tolerations: [...tolerations, ...missing] };
  }) as KubeObject;
}

/** Admits a pod: sets its priority by class, and checks overhead, which a RuntimeClass must declare. */
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

/** Built-in priority classes, whether they are stored or not. */
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

/** Returns a new pod with its initial status. */
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

/** Keeps parts of the old status: the QoS class, which is immutable, and the observed generations, which an old kubelet does not send. */
export function keptPodStatus(pod: KubeObject, old: KubeObject): KubeObject {
  const { qosClass, observedGeneration, conditions } = mapIn(old, 'status');
  const known = listOf(conditions).filter(isMap);
  return inMade(pod, 'status', (status) =>
    inItems(fill(status, { qosClass, observedGeneration }), 'conditions', (condition) => {
      const place = known.findIndex(({ type }) => type === condition['type']);
      const [before] = place < 0 ? [] : known.splice(place, 1);
      return fill(condition, { observedGeneration: before?.['observedGeneration'] });
    }),
  ) as KubeObject;
}

const INT32_MAX = 2 ** 31 - 1;

const FROZEN =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Validates a pod, and its few allowed updates. */
export const validatePod: Validator = (pod, old, found) => {
  const qos = mapIn(pod, 'status')['qosClass'];
  if (old !== undefined && qos !== mapIn(old, 'status')['qosClass'])
    found.invalid('status.qosClass', qos ?? '', 'field is immutable');
  if (old !== undefined && pod['spec'] === old['spec']) return;
  validatePodSpec(mapIn(pod, 'spec'), 'spec', found);
  if (old !== undefined) validatePodChange(mapIn(pod, 'spec'), mapIn(old, 'spec'), found);
};

function validatePodChange(spec: JsonObject, old: JsonObject, found: Problems): void {
  for (const field of ['containers', 'initContainers'] as const) {
    const containers = mapsOf(spec[field]);
    if (containers.length !== mapsOf(old[field]).length) {
      found.forbidden(`spec.${field}`, 'pod updates may not add or remove containers');
      return;
    }
    for (const [index, container] of containers.entries())
      validateImage(textOf(container['image']), `spec.${field}[${index}].image`, found);
  }
  if (!validateDeadline(spec['activeDeadlineSeconds'], old['activeDeadlineSeconds'], found)) return;
  const tolerations = mapsOf(spec['tolerations']);
  if (!mapsOf(old['tolerations']).every((one) => tolerations.some((other) => isSameButForSeconds(one, other))))
    found.forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds');
  const gates = mapsOf(old['schedulingGates']).map(({ name }) => name);
  for (const [index, { name }] of mapsOf(spec['schedulingGates']).entries())
    if (!gates.includes(name))
      found.forbidden(
        `spec.schedulingGates[${index}].name`,
        `only deletion is allowed, but found new scheduling gate '${textOf(name)}'`,
      );
  if (!jsonEqual(frozenPart(spec, old), frozenPart(old, old))) found.forbidden('spec', FROZEN);
}

function validateImage(image: string, path: string, found: Problems): void {
  if (image === '') found.required(path);
  else if (image.trim() !== image) found.invalid(path, image, 'must not have leading or trailing whitespace');
}

/** Validates a deadline, which may only be set or reduced. Returns false if it is invalid; a real server then stops validating. */
function validateDeadline(deadline: JsonValue | undefined, old: JsonValue | undefined, found: Problems): boolean {
  const path = 'spec.activeDeadlineSeconds';
  if (typeof deadline !== 'number') {
    if (old !== undefined) found.invalid(path, null, 'must not update from a positive integer to nil value');
    return true;
  }
  const before = found.list.length;
  found.inRange(path, deadline, 0, INT32_MAX);
  if (found.list.length === before && typeof old === 'number' && old < deadline)
    found.invalid(path, deadline, 'must be less than or equal to previous value');
  return found.list.length === before;
}

function isSameButForSeconds(toleration: JsonObject, other: JsonObject): boolean {
  const { tolerationSeconds } = other;
  return jsonEqual({ ...toleration, tolerationSeconds }, other);
}

/** Returns the part of a pod's spec that an update cannot change. A negative grace period may become 1. */
function frozenPart(spec: JsonObject, old: JsonObject): JsonObject {
  const { activeDeadlineSeconds: _, tolerations: __, ephemeralContainers: ___, schedulingGates: ____, ...rest } = spec;
  const bare = (one: JsonObject): JsonObject => ({ ...one, image: '' });
  const frozen = inItems(inItems(rest, 'containers', bare), 'initContainers', bare);
  const { terminationGracePeriodSeconds: grace } = old;
  const fixed = Number(grace) < 0 && spec['terminationGracePeriodSeconds'] === 1;
  return fixed ? { ...frozen, terminationGracePeriodSeconds: grace } : frozen;
}
