/** Requests that only the kubelet of a pod can answer. Pure. */
import type { Operation } from '../model/history.ts';

const CONNECTS = /^(?:exec|attach|portforward|proxy)$/;

/**
 * Reports whether the request opens a connection (exec, attach, port-forward, proxy). A GET of this kind is recorded as a read, because it
 * commits nothing in the cluster.
 */
export function connects({ subresource }: Pick<Operation, 'subresource'>): boolean {
  return CONNECTS.test(subresource);
}

/** Reports whether the request failed because no kubelet runs; the number of retries then says nothing about a real cluster. */
export function lacksKubelet(operation: Operation): boolean {
  const { subresource, outcome } = operation;
  return outcome.type === 'fail' && outcome.code === 500 && (subresource === 'log' || connects(operation));
}
