/**
 * Leader election as in client-go: the leader renews a Lease, and another replica takes it over if it is not renewed in time.
 *
 * Each replica decides with its own clock whether the Lease has expired, counted from the last change that it saw: the clocks of other
 * replicas are not trusted. A leader that cannot renew in time must stop at once, so it exits its process.
 */
import { randomUUID } from 'node:crypto';
import { CoordinationV1Api, type KubeConfig, V1MicroTime, type V1Lease } from '@kubernetes/client-node';
import { orUndefined } from './errors.ts';

const LEASE_S = 15;
const DEADLINE_MS = 10_000;
const RETRY_MS = 2_000;

export interface LeaderOptions {
  readonly kubeConfig: KubeConfig;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Resolves once this process is the leader. Then it renews the Lease, and exits the process if it cannot. */
export function becomeLeader({ kubeConfig, namespace, name, signal }: LeaderOptions): Promise<void> {
  const leases = kubeConfig.makeApiClient(CoordinationV1Api);
  const identity = randomUUID();
  let seen = { text: '', atMs: 0 };
  let renewedMs = 0;

  async function acquireOrRenew(): Promise<boolean> {
    const startedMs = Date.now();
    const now = new V1MicroTime(startedMs);
    const live = await orUndefined(leases.readNamespacedLease({ name, namespace }));
    const spec = { holderIdentity: identity, leaseDurationSeconds: LEASE_S, renewTime: now };
    if (live === undefined) {
      const body: V1Lease = { metadata: { name }, spec: { ...spec, acquireTime: now } };
      await leases.createNamespacedLease({ namespace, body });
    } else {
      const text = JSON.stringify(live.spec);
      if (text !== seen.text) seen = { text, atMs: startedMs };
      const isOwn = live.spec?.holderIdentity === identity;
      const isFree = (live.spec?.holderIdentity ?? '') === '' || startedMs >= seen.atMs + LEASE_S * 1000;
      if (!isOwn && !isFree) return false;
      const body: V1Lease = { ...live, spec: isOwn ? { ...live.spec, ...spec } : { ...spec, acquireTime: now } };
      await leases.replaceNamespacedLease({ name, namespace, body });
    }
    renewedMs = startedMs;
    return true;
  }

  const { promise, resolve } = Promise.withResolvers<void>();
  let leads = false;
  let busy = false;
  const tick = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      if (await acquireOrRenew()) {
        leads = true;
        resolve();
      }
    } catch {
      // The next attempt follows soon; the timer below checks the deadline.
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => {
    if (signal.aborted) clearInterval(timer);
    else if (leads && Date.now() >= renewedMs + DEADLINE_MS) process.exit(1);
    else void tick();
  }, RETRY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  void tick();
  return promise;
}
