/** Requests that only the kubelet of a pod can answer. Pure. */
import type { Operation } from '../model/history.ts';

const CONNECTS = /^(?:exec|attach|portforward|proxy)$/;

/** Whether it opens a connection: recorded as a read where it is a GET, because it commits nothing in the cluster. */
export function connects({ subresource }: Pick<Operation, 'subresource'>): boolean {
  return CONNECTS.test(subresource);
}

/** Whether no kubelet answered, as where none runs: how often that is tried again says nothing of how it would go in a cluster. */
export function lacksKubelet(operation: Operation): boolean {
  const { subresource, outcome } = operation;
  return outcome.type === 'fail' && outcome.code === 500 && (subresource === 'log' || connects(operation));
}
