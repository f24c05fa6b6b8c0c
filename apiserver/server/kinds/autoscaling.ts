/**
 * HorizontalPodAutoscaler in two versions: stored as autoscaling/v2; v1 has only one target and keeps the rest in annotations.
 *
 * Owns: the conversion in both directions (k8s.io/kubernetes `pkg/apis/autoscaling/v1/conversion.go`). Start at {@link hpaToStorage}.
 */
import { isList, isMap } from '../../objects/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../objects/object.ts';
import { withoutEmpty } from './fill.ts';

const PREFIX = 'autoscaling.alpha.kubernetes.io/';
const METRICS = `${PREFIX}metrics`;
const CURRENT_METRICS = `${PREFIX}current-metrics`;
const CONDITIONS = `${PREFIX}conditions`;
const BEHAVIOR = `${PREFIX}behavior`;
const OWN: ReadonlySet<string> = new Set([METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR]);

/** v1's default target utilization, percent. */
const DEFAULT_UTILIZATION = 80;

type Fields = { [key: string]: JsonValue | undefined };

function map(value: JsonValue | undefined): JsonObject {
  return isMap(value) ? value : {};
}

function maps(value: JsonValue | undefined): readonly JsonObject[] {
  return isList(value) ? value.filter(isMap) : [];
}

/** Returns the fields without undefined values. */
function given(fields: Fields): JsonObject {
  const copy: { [key: string]: JsonValue } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) copy[key] = value;
  }
  return copy;
}

function cpuUtilization(metric: JsonObject): JsonValue | undefined {
  const resource = map(metric['resource']);
  const value = map(resource['target'])['averageUtilization'];
  return metric['type'] === 'Resource' && resource['name'] === 'cpu' ? value : undefined;
}

function cpuMetric(averageUtilization: JsonValue): JsonObject {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function withAnnotations(object: KubeObject, annotations: JsonObject): KubeObject['metadata'] {
  const { annotations: _, ...metadata } = object.metadata;
  const kept = annotations as { readonly [key: string]: string };
  return Object.keys(kept).length === 0 ? metadata : { ...metadata, annotations: kept };
}

/** Converts from v1 to v2. */
export function hpaToStorage(object: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: target, ...spec } = map(object['spec']);
  const { currentCPUUtilizationPercentage: current, currentReplicas, ...status } = map(object['status']);
  const annotations = object.metadata.annotations ?? {};
  const metrics = decoded(annotations[METRICS]).map((metric) => metricToV2(metric, 'target'));
  if (target !== undefined) metrics.push(cpuMetric(target));
  if (metrics.length === 0) metrics.push(cpuMetric(DEFAULT_UTILIZATION));
  const behavior = parsed(annotations[BEHAVIOR]);
  const saved = decoded(annotations[CURRENT_METRICS]);
  const currentMetrics =
    saved.length > 0
      ? saved.map((metric) => metricToV2(metric, 'current'))
      : current === undefined
        ? undefined
        : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }];
  const conditions = decoded(annotations[CONDITIONS]);
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN.has(key)));
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: withAnnotations(object, kept),
    spec: given({ ...spec, metrics, behavior: isMap(behavior) ? readBehavior(behavior) : undefined }),
    status: given({
      ...status,
      currentReplicas: currentReplicas === 0 ? undefined : currentReplicas,
      desiredReplicas: status['desiredReplicas'] ?? 0,
      currentMetrics: currentMetrics ?? null,
      conditions: conditions.length > 0 ? conditions : undefined,
    }),
  };
}

const shown = new WeakMap<KubeObject, KubeObject>();

/** Converts from v2 to v1; cached per object. */
export function hpaFromStorage(object: KubeObject): KubeObject {
  let converted = shown.get(object);
  if (converted === undefined) shown.set(object, (converted = toV1(object)));
  return converted;
}

function toV1(object: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = map(object['spec']);
  const { currentMetrics, conditions, ...status } = map(object['status']);
  const annotations: { [key: string]: string } = {};
  for (const [key, value] of Object.entries(object.metadata.annotations ?? {}))
    if (!OWN.has(key)) annotations[key] = value;
  const all = maps(metrics);
  const target = all.map(cpuUtilization).find((one) => one !== undefined);
  const others = all.filter((metric) => cpuUtilization(metric) === undefined);
  const current = maps(currentMetrics);
  const cpu = current.find((one) => one['type'] === 'Resource' && map(one['resource'])['name'] === 'cpu');
  if (others.length > 0) annotations[METRICS] = JSON.stringify(others.map((metric) => metricToV1(metric, 'target')));
  if (current.length > 0)
    annotations[CURRENT_METRICS] = JSON.stringify(current.map((metric) => metricToV1(metric, 'current')));
  if (isMap(behavior)) annotations[BEHAVIOR] = JSON.stringify(savedBehavior(behavior));
  if (maps(conditions).length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: withAnnotations(object, annotations),
    spec: given({ ...spec, targetCPUUtilizationPercentage: target }),
    status: given({
      ...status,
      currentReplicas: status['currentReplicas'] ?? 0,
      desiredReplicas: status['desiredReplicas'] ?? 0,
      currentCPUUtilizationPercentage: map(map(cpu?.['resource'])['current'])['averageUtilization'],
    }),
  };
}

/**
 * Returns a behaviour in the form stored in the annotation: Go's internal type, whose fields have Go names and are written even if empty.
 */
function savedBehavior(behavior: JsonObject): JsonObject {
  const rules = (value: JsonValue | undefined): JsonValue => {
    if (!isMap(value)) return null;
    const { stabilizationWindowSeconds = null, selectPolicy = null, policies, tolerance = null } = value;
    return {
      StabilizationWindowSeconds: stabilizationWindowSeconds,
      SelectPolicy: selectPolicy,
      Policies: isList(policies)
        ? policies
            .filter(isMap)
            .map((one) => ({ Type: one['type'], Value: one['value'], PeriodSeconds: one['periodSeconds'] }))
        : null,
      Tolerance: tolerance,
    };
  };
  return { ScaleUp: rules(behavior['scaleUp']), ScaleDown: rules(behavior['scaleDown']) };
}

/** Parses the result of {@link savedBehavior}: names start in lower case, nulls are dropped. */
function readBehavior(value: JsonValue): JsonValue {
  if (isList(value)) return value.map(readBehavior);
  if (!isMap(value)) return value;
  const copy: { [key: string]: JsonValue } = {};
  for (const [key, one] of Object.entries(value))
    if (one !== undefined && one !== null) copy[key.charAt(0).toLowerCase() + key.slice(1)] = readBehavior(one);
  return copy;
}

function parsed(text: string | undefined): JsonValue {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    // Unreadable annotations are ignored, as in the real conversion.
    return null;
  }
}

function decoded(text: string | undefined): JsonObject[] {
  return [...maps(parsed(text))];
}

/** Returns the field that contains a metric of its type, for example `resource` for `Resource`. */
function memberOf(metric: JsonObject): string {
  const type = typeof metric['type'] === 'string' ? metric['type'] : '';
  return type.charAt(0).toLowerCase() + type.slice(1);
}

/** Converts a metric to v1. `which`: the target in a spec, or the current value in a status. */
function metricToV1(metric: JsonObject, which: 'target' | 'current'): JsonObject {
  const key = memberOf(metric);
  const source = map(metric[key]);
  const { value, averageValue, averageUtilization } = map(source[which]);
  const described = map(source['describedObject']);
  const { name, selector } = map(source['metric']);
  const prefix = which === 'target' ? 'target' : 'current';
  switch (key) {
    case 'resource':
    case 'containerResource':
      return {
        type: metric['type'] ?? '',
        [key]: given({
          name: source['name'],
          [`${prefix}AverageUtilization`]: averageUtilization,
          [`${prefix}AverageValue`]: averageValue ?? (which === 'current' ? '0' : undefined),
          container: source['container'],
        }),
      };
    case 'pods':
      return {
        type: 'Pods',
        pods: given({ metricName: name, [`${prefix}AverageValue`]: averageValue ?? '0', selector }),
      };
    case 'object':
      return {
        type: 'Object',
        object: given({
          target: given({ kind: described['kind'], name: described['name'], apiVersion: described['apiVersion'] }),
          metricName: name,
          [`${prefix}Value`]: value ?? '0',
          selector,
          averageValue,
        }),
      };
    default:
      return {
        type: 'External',
        external: given({
          metricName: name,
          metricSelector: selector,
          [`${prefix}Value`]: value ?? (which === 'current' ? '0' : undefined),
          [`${prefix}AverageValue`]: averageValue,
        }),
      };
  }
}

function metricToV2(metric: JsonObject, which: 'target' | 'current'): JsonObject {
  const key = memberOf(metric);
  const source = map(metric[key]);
  const prefix = which === 'target' ? 'target' : 'current';
  const value = source[`${prefix}Value`];
  const averageUtilization = source[`${prefix}AverageUtilization`];
  const averageValue = source[`${prefix}AverageValue`] ?? source['averageValue'];
  const type =
    averageUtilization !== undefined
      ? 'Utilization'
      : value !== undefined && averageValue === undefined
        ? 'Value'
        : 'AverageValue';
  const amount = given({ ...(which === 'target' ? { type } : {}), value, averageValue, averageUtilization });
  if (key === 'resource' || key === 'containerResource')
    return {
      type: metric['type'] ?? '',
      [key]: given({ name: source['name'], container: source['container'], [which]: amount }),
    };
  const identifier = given({
    name: source['metricName'],
    selector: source[key === 'external' ? 'metricSelector' : 'selector'],
  });
  const described = key === 'object' ? { describedObject: withoutEmpty(map(source['target']), ['apiVersion']) } : {};
  return { type: metric['type'] ?? '', [key]: { ...described, metric: identifier, [which]: amount } };
}
