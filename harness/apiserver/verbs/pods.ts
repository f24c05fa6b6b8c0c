/**
 * pods/binding and pods/eviction: POST-only subresources that act on a pod.
 *
 * Owns: the rules of k8s.io/kubernetes `pkg/registry/core/pod/storage` that a scheduler or a drainer can see.
 */
import { isList, isMap, mapOf, valueAt } from '../../model/json.ts';
import type { JsonObject, KubeObject } from '../../model/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { admitSubresource } from '../admission/write-steps.ts';
import { bodyMap, writeOptions } from '../body.ts';
import type { Call, Kernel } from '../kernel.ts';
import { badRequest, conflict, methodNotAllowed, notFound, Refusal, refuse } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';
import { rowKey } from '../store.ts';
import { deleteObject } from './delete.ts';

const SUCCESS: ApiResponse = {
  code: 201,
  body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

const BINDING = { group: '', resource: 'pods/binding', kind: 'Binding', gr: 'pods/binding' };

const BINDING_KIND = { group: '', version: 'v1', kind: 'Binding' };
const EVICTION_KIND = { group: 'policy', version: 'v1', kind: 'Eviction' };

/** The posted object as webhooks leave it. */
function admitPosted(kernel: Kernel, call: Call, body: JsonObject, kind: typeof BINDING_KIND): JsonObject | Refusal {
  if (kernel.admission === undefined) return body;
  const { group, version } = kind;
  const metadata = { ...mapOf(body['metadata']), namespace: call.route.namespace };
  const object = { kind: kind.kind, apiVersion: group === '' ? version : `${group}/${version}`, ...body, metadata };
  return admitSubresource(kernel, call, object, undefined, kind, (call.request.query['dryRun'] ?? '') !== '');
}

/** POST pods/NAME/binding: assigns the pod to a node. */
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
  const pod = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (pod === undefined) return notFound(definition, name);
  const spec = mapOf(pod['spec']);
  const status = mapOf(pod['status']);
  if (pod.metadata.deletionTimestamp !== undefined)
    return conflict(BINDING, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec['nodeName'] !== undefined && spec['nodeName'] !== '')
    return conflict(BINDING, name, `pod ${name} is already assigned to node ${JSON.stringify(spec['nodeName'])}`);
  const conditions = isList(status['conditions']) ? status['conditions'] : [];
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: kernel.timestamp() };
  const bound: KubeObject = {
    ...pod,
    spec: { ...spec, nodeName: valueAt(body, ['target', 'name']) ?? '' },
    status: {
      ...status,
      conditions: [...conditions.filter((one) => !isMap(one) || one['type'] !== 'PodScheduled'), scheduled],
    },
  };
  kernel.commit(definition, bound, pod);
  return SUCCESS;
}

const PDBS = 'poddisruptionbudgets.policy';
const DISRUPTION = 'DisruptionBudget';

/** POST pods/NAME/eviction: deletes the pod unless a disruption budget forbids it. */
export function evict(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name } = call.route;
  if (call.request.method !== 'POST') return methodNotAllowed(definition, call.request.method.toLowerCase());
  const options = writeOptions(call.request.query, 'CreateOptions');
  if (options instanceof Refusal) return options;
  const body = bodyMap(call, 'Eviction');
  if (body instanceof Refusal) return body;
  const admitted = admitPosted(kernel, call, body, EVICTION_KIND);
  if (admitted instanceof Refusal) return admitted;
  const pod = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (pod === undefined) return notFound(definition, name);
  const phase = mapOf(pod['status'])['phase'];
  const ended = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  if (!ended && pod.metadata.deletionTimestamp === undefined) {
    const refusal = spend(kernel, pod);
    if (refusal !== undefined) return refusal;
  }
  const result = deleteObject(kernel, definition, pod);
  return result instanceof Refusal ? result : SUCCESS;
}

/** Takes one disruption out of the pod's budget; a refusal when there is none left. */
function spend(kernel: Kernel, pod: KubeObject): Refusal | undefined {
  const budgets = kernel.store.list(PDBS, pod.metadata.namespace ?? '').filter((budget) => covers(budget, pod));
  const [budget] = budgets;
  if (budget === undefined) return undefined;
  if (budgets.length > 1)
    return refuse(
      500,
      'InternalError',
      'Internal error occurred: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const name = budget.metadata.name ?? '';
  const status = mapOf(budget['status']);
  const cannot = "Cannot evict pod as it would violate the pod's disruption budget.";
  const observed = status['observedGeneration'];
  if ((typeof observed === 'number' ? observed : 0) < (budget.metadata.generation ?? 0))
    return refuse(429, 'TooManyRequests', cannot, {
      causes: [
        { reason: DISRUPTION, message: `The disruption budget ${name} is still being processed by the server.` },
      ],
      retryAfterSeconds: 10,
    });
  const allowed = Number(status['disruptionsAllowed'] ?? 0);
  if (allowed <= 0)
    return refuse(429, 'TooManyRequests', cannot, {
      causes: [
        {
          reason: DISRUPTION,
          message: `The disruption budget ${name} needs ${String(Number(status['desiredHealthy'] ?? 0))} healthy pods and has ${String(Number(status['currentHealthy'] ?? 0))} currently`,
        },
      ],
    });
  const definition = kernel.registry.byResource(PDBS);
  if (definition !== undefined)
    kernel.commit(
      definition,
      {
        ...budget,
        status: {
          ...status,
          disruptionsAllowed: allowed - 1,
          disruptedPods: { ...mapOf(status['disruptedPods']), [pod.metadata.name ?? '']: kernel.timestamp() },
        },
      },
      budget,
    );
  return undefined;
}

function covers(budget: KubeObject, pod: KubeObject): boolean {
  const matcher = parseLabelSelector(selectorText(valueAt(budget, ['spec', 'selector'])));
  return typeof matcher !== 'string' && labelsMatch(matcher, pod);
}
