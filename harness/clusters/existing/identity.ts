/**
 * Identifies the cluster at an address by the uid of its namespace kube-system, which every cluster has and no two share.
 *
 * Owns: the first two requests, which change nothing. Start at {@link identify}.
 */
import { mapOf, textOf } from 'stalemate-apiserver/objects/json';
import { ConnectionFailure } from 'stalemate-apiserver/wire/call';
import type { ApiResponse } from 'stalemate-apiserver/wire/http';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { HarnessError } from '../../model/errors.ts';
import { ask } from '../real/own-requests.ts';

const SYSTEM = '/api/v1/namespaces/kube-system';

export interface Identity {
  /** `v1.36.0`. */
  readonly version: string;
  /** Undefined if the credentials do not permit reading the namespace, or if it does not exist. */
  readonly uid: string | undefined;
  /** The status code of the request for the uid. */
  readonly code: number;
}

/**
 * Asks a server for its version and its cluster's uid.
 *
 * @throws {REFUSED} if it redirects the client.
 * @throws {CLUSTER_UNAVAILABLE} if it does not answer like an API server.
 */
export async function identify(remote: RemoteOptions): Promise<Identity> {
  const upstream = remoteUpstream(new RemoteServer(remote));
  try {
    const { code, body } = await ask(upstream, 'GET', '/version');
    const version = textAt(body, 'gitVersion');
    if (code !== 200 || version === '')
      throw new HarnessError(
        'CLUSTER_UNAVAILABLE',
        `${remote.url} answered ${code} to GET /version, expected an API server and credentials that it knows`,
      );
    const system = await ask(upstream, 'GET', SYSTEM);
    const uid = system.code === 200 ? textOf(mapOf(mapOf(system.body)['metadata'])['uid']) : '';
    return { version, uid: uid === '' ? undefined : uid, code: system.code };
  } catch (error) {
    if (!(error instanceof ConnectionFailure)) throw error;
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `${remote.url} could not be reached: ${error.message}; expected a running API server whose certificate the kubeconfig trusts`,
    );
  } finally {
    upstream.close();
  }
}

function textAt(body: ApiResponse['body'], key: string): string {
  return typeof body === 'string' ? '' : textOf(mapOf(body)[key]);
}
