/**
 * pods/binding, a POST-only subresource that acts on a pod, and the code that it shares with pods/eviction.
 *
 * Owns: the rules of k8s.io/kubernetes `pkg/registry/core/pod/storage` that matter to schedulers and evictions.
 */
import { isList, isMap, mapOf, textOf, valueAt } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { admitSubresource } from '../admission/write-steps.ts';
import { bodyMap, writeOptions } from '../body.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { aggregated, badRequest, conflict, methodNotAllowed, notFound, Refusal } from '../refusal.ts';
import { rowKey } from '../store.ts';

export const SUCCESS: ApiResponse = {
  code: 201,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

const BINDING = { group: '', resource: 'pods/binding', kind: 'Binding', gr: 'pods/binding' };

const BINDING_KIND = { group: '', version: 'v1', kind: 'Binding' };

/** Returns the posted object after webhooks. */
export function admitPosted(
  kernel: Kernel,
  call: Call,
  body: JsonObject,
  kind: typeof BINDING_KIND,
): JsonObject | Refusal {
  if (kernel.admission === undefined) return body;
  const { group, version } = kind;
  const metadata = { ...mapOf(body['metadata']), namespace: call.route.namespace };
  const object = { kind: kind.kind, apiVersion: group === '' ? version : `${group}/${version}`, ...body, metadata };
  return admitSubresource(kernel, call, object, undefined, kind, (call.request.query['dryRun'] ?? '') !== '');
}

/** Handles POST pods/NAME/binding: assigns the pod to a node. */
export function bind(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name } = call.route;
  if (call.request.method !== 'POST') return methodNotAllowed(definition, call.request.method.toLowerCase());
  const options = writeOptions(call.request.query, 'CreateOptions');
  if (options instanceof Refusal) return options;
  const sent = bodyMap(call, 'Binding');
  if (sent instanceof Refusal) return sent;
  const body = admitPosted(kernel, call, sent, BINDING_KIND);
  if (body instanceof Refusal) return body;
  if (valueAt(body, ['metadata', 'name']) !== name)
    return badRequest('name in URL does not match name in Binding object');
  const target = mapOf(body['target']);
  const wrong = targetProblem(textOf(target['kind']), textOf(target['name']));
  if (wrong !== undefined) return plainFailure(wrong);
  const pod = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (pod === undefined) return notFound(definition, name);
  const spec = mapOf(pod['spec']);
  const status = mapOf(pod['status']);
  if (pod.metadata.deletionTimestamp !== undefined)
    return conflict(BINDING, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec['nodeName'] !== undefined && spec['nodeName'] !== '')
    return conflict(BINDING, name, `pod ${name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`);
  const gates = spec['schedulingGates'];
  if (isList(gates) && gates.length > 0)
    return conflict(BINDING, name, `pod ${name} has non-empty .spec.schedulingGates`);
  const conditions = isList(status['conditions']) ? status['conditions'] : [];
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: kernel.timestamp(),
  };
  const annotations = mapOf(mapOf(body['metadata'])['annotations']);
  const bound: KubeObject = {
    ...pod,
    ...(Object.keys(annotations).length === 0
      ? {}
      : { metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...textsIn(annotations) } } }),
    spec: { ...spec, nodeName: valueAt(body, ['target', 'name']) ?? '' },
    status: {
      ...status,
      conditions: [...conditions.filter((one) => !isMap(one) || one['type'] !== 'PodScheduled'), scheduled],
    },
  };
  if (!options.dryRun) kernel.commit(definition, bound, pod);
  return SUCCESS;
}

/** Returns the reason why a pod cannot be bound to the target; undefined if it can. */
function targetProblem(kind: string, name: string): string | undefined {
  const wrong = [
    ...(kind === '' || kind === 'Node'
      ? []
      : [`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`]),
    ...(name === '' ? ['target.name: Required value'] : []),
  ];
  return wrong.length === 0 ? undefined : aggregated(wrong);
}

function textsIn(map: JsonObject): { readonly [key: string]: string } {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, textOf(value)]));
}

/** Returns 500 without a reason, as for a Go error that is not a Status. */
export function plainFailure(message: string): Refusal {
  return new Refusal(500, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}
