/**
 * POST pods/NAME/eviction: deletes a pod unless a disruption budget forbids it.
 *
 * Owns: finding the matching budgets, their remaining disruptions, the condition of an evicted pod. Mirrors k8s.io/kubernetes
 * `pkg/registry/core/pod/storage/eviction.go`. Start at {@link evict}.
 */
import { listOf, mapOf, mapsOf, textOf, valueAt } from '../../objects/json.ts';
import type { JsonObject, KubeObject } from '../../objects/object.ts';
import type { ApiResponse } from '../../wire/http.ts';
import { bodyMap, writeOptions } from '../body.ts';
import type { Kernel } from '../kernel.ts';
import type { Call } from '../call.ts';
import { badRequest, forbidden, methodNotAllowed, notFound, Refusal, refuse } from '../refusal.ts';
import { labelsMatch, parseLabelSelector, selectorText } from '../selectors.ts';
import { rowKey } from '../store.ts';
import { NO_OPTIONS, type DeleteOptions } from './delete-options.ts';
import { deleteObject, preconditionRefusal } from './delete.ts';
import { admitPosted, plainFailure, SUCCESS } from './pods.ts';

const KIND = { group: 'policy', version: 'v1', kind: 'Eviction' };
const BUDGETS = 'poddisruptionbudgets.policy';
const CANNOT = "Cannot evict pod as it would violate the pod's disruption budget.";
/** The maximum number of evicted pods that a budget may list before its controller processes them. */
const DISRUPTED_MAX = 2_000;

export function evict(kernel: Kernel, call: Call): ApiResponse {
  const { definition, namespace, name } = call.route;
  if (call.request.method !== 'POST') return methodNotAllowed(definition, call.request.method.toLowerCase());
  const options = writeOptions(call.request.query, 'CreateOptions');
  if (options instanceof Refusal) return options;
  const sent = bodyMap(call, 'Eviction');
  if (sent instanceof Refusal) return sent;
  const given = mapOf(sent['metadata'])['name'];
  if (given !== undefined && given !== name) return badRequest('name in URL does not match name in Eviction object');
  const body = admitPosted(kernel, call, sent, KIND);
  if (body instanceof Refusal) return body;
  const asked = askedOptions(mapOf(body['deleteOptions']), (call.request.query['dryRun'] ?? '') !== '');
  const pod = kernel.store.get(definition.gr, rowKey(namespace, name));
  if (pod === undefined) return notFound(definition, name);
  const phase = mapOf(pod['status'])['phase'];
  const ended = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  if (!ended && pod.metadata.deletionTimestamp === undefined) {
    const refusal = spend(kernel, pod, asked.dryRun);
    if (refusal !== undefined) return refusal;
  }
  const mismatch = preconditionRefusal(definition, pod, asked);
  if (mismatch !== undefined) return mismatch;
  const marked = asked.dryRun ? pod : withCondition(kernel, pod);
  const current = marked === pod ? pod : kernel.commit(definition, marked, pod);
  // The requested version has already been checked, and setting the condition has created another version.
  const result = deleteObject(kernel, definition, current, { ...asked, resourceVersion: undefined });
  return result instanceof Refusal ? result : SUCCESS;
}

function askedOptions(given: JsonObject, dryRun: boolean): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents } = given;
  const { uid, resourceVersion } = mapOf(given['preconditions']);
  return {
    ...NO_OPTIONS,
    dryRun: dryRun || listOf(given['dryRun']).length > 0,
    graceSeconds: typeof gracePeriodSeconds === 'number' ? gracePeriodSeconds : undefined,
    propagation: textOf(propagationPolicy) || undefined,
    orphanDependents: typeof orphanDependents === 'boolean' ? orphanDependents : undefined,
    uid: textOf(uid) || undefined,
    resourceVersion: textOf(resourceVersion) || undefined,
  };
}

/** Returns the pod with the condition DisruptionTarget. */
function withCondition(kernel: Kernel, pod: KubeObject): KubeObject {
  const status = mapOf(pod['status']);
  const conditions = mapsOf(status['conditions']);
  const old = conditions.find(({ type }) => type === 'DisruptionTarget');
  const reason = 'EvictionByEvictionAPI';
  if (old?.['status'] === 'True' && old['reason'] === reason) return pod;
  const condition: JsonObject = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: old?.['status'] === 'True' ? (old['lastTransitionTime'] ?? null) : kernel.timestamp(),
    reason,
    message: 'Eviction API: evicting',
  };
  const changed =
    old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
  return { ...pod, status: { ...status, conditions: changed } };
}

/** Uses up one disruption of the pod's budget; returns a refusal when none is left. */
function spend(kernel: Kernel, pod: KubeObject, dryRun: boolean): Refusal | undefined {
  const budgets = kernel.store.list(BUDGETS, pod.metadata.namespace ?? '').filter((budget) => covers(budget, pod));
  const [budget] = budgets;
  if (budget === undefined) return undefined;
  if (budgets.length > 1)
    return plainFailure(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const status = mapOf(budget['status']);
  if (!isReady(pod)) {
    // Evicting an unready pod does not count as a disruption of the budget.
    if (valueAt(budget, ['spec', 'unhealthyPodEvictionPolicy']) === 'AlwaysAllow') return undefined;
    const desired = count(status, 'desiredHealthy');
    if (count(status, 'currentHealthy') >= desired && desired > 0) return undefined;
  }
  const refusal = budgetRefusal(budget, status);
  const definition = kernel.registry.byResource(BUDGETS);
  if (refusal !== undefined || dryRun || definition === undefined) return refusal;
  const left = count(status, 'disruptionsAllowed') - 1;
  const disruptedPods = { ...mapOf(status['disruptedPods']), [pod.metadata.name ?? '']: kernel.timestamp() };
  const conditions = left > 0 ? {} : { conditions: withoutDisruptions(kernel, status) };
  const spent = { ...status, ...conditions, disruptionsAllowed: left, disruptedPods };
  kernel.commit(definition, { ...budget, status: spent }, budget);
  return undefined;
}

function budgetRefusal(budget: KubeObject, status: JsonObject): Refusal | undefined {
  const { name = '', generation = 0 } = budget.metadata;
  const no = (message: string, more: { readonly retryAfterSeconds?: number } = {}): Refusal =>
    refuse(429, 'TooManyRequests', CANNOT, { causes: [{ reason: 'DisruptionBudget', message }], ...more });
  if (count(status, 'observedGeneration') < generation)
    return no(`The disruption budget ${name} is still being processed by the server.`, { retryAfterSeconds: 10 });
  const allowed = count(status, 'disruptionsAllowed');
  const resource = { group: 'policy', resource: 'poddisruptionbudget', kind: '', gr: 'poddisruptionbudget.policy' };
  if (allowed < 0) return forbidden(resource, name, 'pdb disruptions allowed is negative');
  if (Object.keys(mapOf(status['disruptedPods'])).length > DISRUPTED_MAX)
    return forbidden(resource, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  if (allowed > 0) return undefined;
  const [desired, current] = [count(status, 'desiredHealthy'), count(status, 'currentHealthy')];
  const condition = mapsOf(status['conditions']).find(({ type }) => type === 'DisruptionAllowed');
  const [why, reason] = [textOf(condition?.['message']), textOf(condition?.['reason'])];
  const explained = condition?.['status'] === 'False' && why !== '';
  const currently = `The disruption budget ${name} does not allow evicting pods currently`;
  if (explained && reason === 'SyncFailed') return no(`${currently} because it failed sync: ${why}`);
  if (current <= desired)
    return no(`The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`);
  return no(explained ? `${currently} (${reason}): ${why}` : currently);
}

/** Returns the conditions of a budget that has no disruptions left. */
function withoutDisruptions(kernel: Kernel, status: JsonObject): readonly JsonObject[] {
  const conditions = mapsOf(status['conditions']);
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const condition: JsonObject = {
    ...old,
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: count(status, 'observedGeneration'),
    lastTransitionTime: old?.['status'] === 'False' ? (old['lastTransitionTime'] ?? null) : kernel.timestamp(),
    reason: 'InsufficientPods',
    message: '',
  };
  return old === undefined ? [...conditions, condition] : conditions.map((one) => (one === old ? condition : one));
}

function isReady(pod: KubeObject): boolean {
  return mapsOf(mapOf(pod['status'])['conditions']).some(({ type, status }) => type === 'Ready' && status === 'True');
}

function count(status: JsonObject, field: string): number {
  const value = status[field];
  return typeof value === 'number' ? value : 0;
}

function covers(budget: KubeObject, pod: KubeObject): boolean {
  const matcher = parseLabelSelector(selectorText(valueAt(budget, ['spec', 'selector'])));
  return typeof matcher !== 'string' && labelsMatch(matcher, pod);
}
