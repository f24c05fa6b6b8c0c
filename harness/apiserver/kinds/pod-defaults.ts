/**
 * Defaults of pods and pod templates (k8s.io/kubernetes `pkg/apis/core/v1/defaults.go`) and what default admission adds to pods.
 *
 * A controller that compares what it wants with what is stored loops for ever unless these are filled in.
 */
import type { JsonObject, JsonValue, KubeObject } from '../../model/object.ts';
import { jsonEqual } from '../../model/leaf.ts';
import { isList, isMap } from '../definition.ts';
import { fieldForbidden, fieldRequired, type FieldError } from '../refusal.ts';
import { fill, inItems, inMap, inValues, withoutEmpty } from './fill.ts';
import { canonicalQuantity } from './quantity.ts';

const SPEC: JsonObject = {
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
  dnsPolicy: 'ClusterFirst',
  securityContext: {},
  schedulerName: 'default-scheduler',
};
const CONTAINER: JsonObject = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
const PORT: JsonObject = { protocol: 'TCP' };
const PROBE: JsonObject = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
const HTTP_GET: JsonObject = { path: '/', scheme: 'HTTP' };
/** 0644. */
const MODE: JsonObject = { defaultMode: 420 };
const FIELD_REF: JsonObject = { apiVersion: 'v1' };

/** The spec of a pod or of a template, with defaults. */
export function defaultedPodSpec(spec: JsonObject): JsonObject {
  let filled = fill(spec, SPEC);
  filled = inItems(filled, 'containers', container);
  filled = inItems(filled, 'initContainers', container);
  filled = inItems(filled, 'volumes', volume);
  const account = filled['serviceAccountName'];
  if (typeof account === 'string' && account !== '' && filled['serviceAccount'] !== account)
    filled = { ...filled, serviceAccount: account };
  return withoutEmpty(filled, ['initContainers', 'volumes', 'tolerations', 'nodeSelector', 'imagePullSecrets']);
}

/** A pod template (`spec.template` of the workloads). */
export function defaultedTemplate(template: JsonObject): JsonObject {
  return inMap(template, 'spec', defaultedPodSpec);
}

function container(given: JsonObject): JsonObject {
  let filled = given;
  if (filled['imagePullPolicy'] === undefined) filled = { ...filled, imagePullPolicy: pullPolicy(filled['image']) };
  filled = fill(filled, CONTAINER);
  filled = inMap(filled, 'resources', (resources) =>
    inMap(inMap(resources, 'limits', quantities), 'requests', quantities),
  );
  filled = inItems(filled, 'ports', (port) => fill(port, PORT));
  filled = inItems(filled, 'env', (variable) =>
    withoutEmpty(
      inMap(variable, 'valueFrom', (from) => inMap(from, 'fieldRef', (ref) => fill(ref, FIELD_REF))),
      ['value'],
    ),
  );
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    filled = inMap(filled, probe, (one) => inMap(fill(one, PROBE), 'httpGet', (get) => fill(get, HTTP_GET)));
  return withoutEmpty(filled, ['env', 'ports', 'volumeMounts', 'args', 'command', 'envFrom']);
}

function quantities(map: JsonObject): JsonObject {
  return inValues(map, canonicalQuantity);
}

/** `Always` for `latest` and for no tag at all. */
function pullPolicy(image: JsonValue | undefined): string {
  if (typeof image !== 'string') return 'Always';
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (name.includes('@')) return 'IfNotPresent';
  const tag = name.includes(':') ? name.slice(name.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function volume(given: JsonObject): JsonObject {
  let filled = given;
  for (const source of ['configMap', 'secret', 'projected', 'downwardAPI'])
    filled = inMap(filled, source, (one) => fill(one, MODE));
  return Object.keys(filled).length > 1 ? filled : { ...filled, emptyDir: {} };
}

const POD: JsonObject = { enableServiceLinks: true };
/** Added by the Priority and DefaultTolerationSeconds admission plugins, which are on by default. */
const ADMITTED: JsonObject = { preemptionPolicy: 'PreemptLowerPriority', priority: 0 };
const TOLERATIONS: readonly JsonObject[] = ['not-ready', 'unreachable'].map((taint) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${taint}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

export function defaultedPod(pod: KubeObject): KubeObject {
  return inMap(pod, 'spec', (spec) => {
    const filled = fill(fill(defaultedPodSpec(spec), POD), ADMITTED);
    const requested = inItems(inItems(filled, 'containers', requestsFromLimits), 'initContainers', requestsFromLimits);
    const tolerations = isList(requested['tolerations']) ? requested['tolerations'] : [];
    const missing = TOLERATIONS.filter((one) => !tolerations.some((other) => isMap(other) && tolerates(other, one)));
    return missing.length === 0 ? requested : { ...requested, tolerations: [...tolerations, ...missing] };
  }) as KubeObject;
}

function tolerates(toleration: JsonObject, wanted: JsonObject): boolean {
  const { key, effect } = toleration;
  return (key === undefined || key === wanted['key']) && (effect === undefined || effect === wanted['effect']);
}

function requestsFromLimits(given: JsonObject): JsonObject {
  return inMap(given, 'resources', (resources) => {
    const { limits, requests } = resources;
    if (!isMap(limits)) return resources;
    const filled = fill(isMap(requests) ? requests : {}, limits);
    return filled === requests ? resources : { ...resources, requests: filled };
  });
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

/** A pod needs containers, and hardly anything of its spec may change afterwards. */
export function validatePod(pod: KubeObject, old: KubeObject | undefined): readonly FieldError[] {
  const spec = pod['spec'];
  const containers = isMap(spec) ? spec['containers'] : undefined;
  if (!isList(containers) || containers.length === 0) return [fieldRequired('spec.containers', '')];
  if (old === undefined || pod['spec'] === old['spec'] || jsonEqual(frozenPart(pod), frozenPart(old))) return [];
  return [fieldForbidden('spec', FROZEN)];
}

function frozenPart(pod: KubeObject): JsonObject {
  const spec = isMap(pod['spec']) ? pod['spec'] : {};
  const { activeDeadlineSeconds: _, tolerations: __, ...rest } = spec;
  const bare = (one: JsonObject): JsonObject => ({ ...one, image: '' });
  return inItems(inItems(rest, 'containers', bare), 'initContainers', bare);
}
