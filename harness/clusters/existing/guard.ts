/**
 * The guard before the first request: which addresses the harness may talk to at all.
 *
 * A server on this machine's loopback interface may be asked which cluster it is, and so may one that the user means. That it may also be
 * used is decided by which cluster it is (`admission.ts`): an address of this machine may be a tunnel. Start at {@link guardCluster}.
 */
import { HarnessError } from '../../model/errors.ts';
import type { ClusterAccess } from './kubeconfig-file.ts';

/**
 * Lets a request be sent, or not.
 *
 * @param isMeant Whether the user has said that this server is meant.
 * @throws {REFUSED} when it is neither on loopback nor meant.
 */
export function guardCluster({ context, remote }: ClusterAccess, isMeant: boolean): void {
  if (isLoopback(remote.url) || isMeant) return;
  throw new HarnessError(
    'REFUSED',
    `context "${context}" points to ${new URL(remote.url).host}, which is not on this machine; expected --allow-context ${context}, or --allow-cluster with the uid of its namespace kube-system, if you mean that cluster`,
  );
}

/** Whether a URL names this machine. A name other than `localhost` may mean anything. */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
