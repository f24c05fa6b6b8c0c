/** Validates counts in the status of workloads, and the status of Jobs (k8s.io/kubernetes `pkg/apis/{apps,batch}/validation`). */
import type { JsonObject, JsonValue } from '../../../objects/object.ts';
import type { Problems } from './problems.ts';

export type StatusValidator = (status: JsonObject, found: Problems) => void;

/**
 * Validates counts: none is negative, `parts` cannot exceed `all`. `ready`: the real server's name of the ready replicas, which limit the
 * available ones; empty if not compared.
 */
function counts(all: string, parts: readonly string[], others: readonly string[], ready: string): StatusValidator {
  return (status, found) => {
    for (const field of [all, ...parts, ...others]) found.nonNegative(`status.${field}`, status[field]);
    for (const field of parts)
      if (count(status[field]) > count(status[all]))
        found.invalid(`status.${field}`, count(status[field]), `cannot be greater than status.${all}`);
    if (ready !== '' && count(status['availableReplicas']) > count(status['readyReplicas']))
      found.invalid('status.availableReplicas', count(status['availableReplicas']), `cannot be greater than ${ready}`);
  };
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

const job: StatusValidator = (status, found) => {
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating'])
    found.nonNegative(`status.${field}`, status[field]);
  if (count(status['ready']) > count(status['active']))
    found.invalid('status.ready', count(status['ready']), 'cannot set more ready pods than active');
};

const REPLICA_PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

/** Validators by resource. */
export const STATUS_RULES: { readonly [gr: string]: StatusValidator } = {
  'daemonsets.apps': counts(
    'currentNumberScheduled',
    [],
    [
      'numberMisscheduled',
      'desiredNumberScheduled',
      'numberReady',
      'observedGeneration',
      'updatedNumberScheduled',
      'numberAvailable',
      'numberUnavailable',
      'collisionCount',
    ],
    '',
  ),
  'deployments.apps': counts(
    'replicas',
    ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
    ['observedGeneration', 'unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
    'readyReplicas',
  ),
  'jobs.batch': job,
  'replicasets.apps': counts('replicas', REPLICA_PARTS, ['observedGeneration', 'terminatingReplicas'], 'readyReplicas'),
  replicationcontrollers: counts('replicas', REPLICA_PARTS, ['observedGeneration'], 'readyReplicas'),
  'statefulsets.apps': counts(
    'replicas',
    ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ['observedGeneration', 'collisionCount'],
    'status.readyReplicas',
  ),
};
