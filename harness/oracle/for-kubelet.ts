/** Requests that only the kubelet of a pod can answer. Pure. */
import type { Operation } from '../model/history.ts';

const KUBELET = /^(?:log|exec|attach|portforward|proxy)$/;

/** Whether no kubelet answered, as where none runs: how often that is tried again says nothing of how it would go in a cluster. */
export function lacksKubelet({ subresource, outcome }: Operation): boolean {
  return outcome.type === 'fail' && outcome.code === 500 && KUBELET.test(subresource);
}
