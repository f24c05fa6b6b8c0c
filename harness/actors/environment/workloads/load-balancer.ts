/** Load balancers for Services and Ingresses: an address is assigned, but nothing listens there. */
import type { KubeObject } from 'stalemate-apiserver/objects/object';
import type { WorkResult } from '../work-queue.ts';
import type { Api } from './api.ts';
import { mapAt } from './view.ts';

/** An address reserved for documentation. */
const ADDRESS = '192.0.2.10';

export async function reconcileBalanced(api: Api, object: KubeObject): Promise<WorkResult> {
  const asks = object.kind === 'Ingress' || mapAt(object, 'spec')['type'] === 'LoadBalancer';
  if (!asks || object.metadata.deletionTimestamp !== undefined) return 'done';
  const ingress = object.kind === 'Ingress' ? { ip: ADDRESS } : { ip: ADDRESS, ipMode: 'VIP' };
  return api.report(object, { loadBalancer: { ingress: [ingress] } });
}
