/**
 * The guard before the first request: which addresses the harness may contact at all.
 *
 * It may identify a server on this machine's loopback interface, and any server that the user allowed. Whether the server may be used
 * depends on which cluster it is (`admission.ts`), since a loopback address may be a tunnel. Start at {@link guardCluster}.
 */
import { HarnessError } from '../../model/errors.ts';
import type { ClusterAccess } from './kubeconfig-file.ts';

/**
 * Refuses to send requests to a server that is not permitted.
 *
 * @param isMeant - True if the user named this server explicitly.
 * @throws {REFUSED} if the server is neither on loopback nor named explicitly.
 */
export function guardCluster({ context, remote }: ClusterAccess, isMeant: boolean): void {
  if (isLoopback(remote.url) || isMeant) return;
  throw new HarnessError(
    'REFUSED',
    `context "${context}" points to ${new URL(remote.url).host}, which is not on this machine; expected --allow-context ${context}, or --allow-cluster with the uid of its namespace kube-system, if you mean that cluster`,
  );
}

/** Reports whether a URL points to this machine. A name other than `localhost` may resolve to anything. */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
