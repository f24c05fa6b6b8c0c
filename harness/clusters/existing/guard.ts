/**
 * The guard: which clusters the harness may talk to.
 *
 * A cluster is let through by where it is, never by what it is called: on this machine's loopback interface, or by the exact name of its
 * context. Start at {@link guardCluster}.
 */
import { HarnessError } from '../../model/errors.ts';
import type { ClusterAccess } from './kubeconfig-file.ts';

/**
 * Lets a cluster through, or not.
 *
 * @param allowed Contexts that the user has named.
 * @throws {REFUSED} when it is neither on loopback nor allowed by name.
 */
export function guardCluster({ context, remote }: ClusterAccess, allowed: readonly string[] = []): void {
  if (isLoopback(remote.url) || allowed.includes(context)) return;
  throw new HarnessError(
    'REFUSED',
    `context "${context}" leads to ${new URL(remote.url).host}, which is not on this machine; expected a server on loopback, or --allow-context ${context} from somebody who means that cluster`,
  );
}

/** Whether a URL cannot leave this machine. A name other than `localhost` may mean anything. */
export function isLoopback(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
