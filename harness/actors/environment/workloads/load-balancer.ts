/** Load balancers for Services and Ingresses: an address is assigned, but nothing listens there. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { mapAt } from './view.ts';

/** An address reserved for documentation. */
const ADDRESS = '192.0.2.10';

export async function reconcileBalanced(api: Api, object: KubeObject): Promise<WorkResult> {
  const { type, loadBalancerClass } = mapAt(object, 'spec');
  const asks = object.kind === 'Ingress' || (type === 'LoadBalancer' && loadBalancerClass === undefined);
  if (!asks || object.metadata.deletionTimestamp !== undefined) return 'done';
  const { ingress: given } = mapAt(object, 'status', 'loadBalancer');
  // Another controller has assigned an address.
  if (Array.isArray(given) && given.length > 0) return 'done';
  const ingress = object.kind === 'Ingress' ? { ip: ADDRESS } : { ip: ADDRESS, ipMode: 'VIP' };
  return api.report(object, { loadBalancer: { ingress: [ingress] } });
}
