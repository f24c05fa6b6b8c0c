/**
 * Which cluster of somebody else is meant, and that it is one which may be used.
 *
 * Owns: that a cluster is named and never found, what is asked of it before anything is written, and the refusals. Start at
 * {@link chooseCluster}, {@link reachCluster}.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { RemoteServer, type RemoteOptions } from '../../gate/http/remote.ts';
import { remoteUpstream } from '../../gate/http/remote-upstream.ts';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import { HarnessError } from '../../model/errors.ts';
import { call, ConnectionFailure } from '../../wire/call.ts';
import { guardCluster } from './guard.ts';
import { readKubeconfig, type ClusterAccess } from './kubeconfig-file.ts';

/** What a run needs to find the cluster again; nothing of it is secret. */
export interface ExistingAccess {
  /** Absolute path. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Contexts that may lead to another machine. */
  readonly allowed: readonly string[];
  /** What actors may make outside of namespaces (`cluster-writes.ts`). */
  readonly writes: readonly string[];
  /** Of the names of its namespaces. */
  readonly prefix: string;
  /** The name of the run, and the value of the label of all that it makes for itself. */
  readonly run: string;
}

export interface ClusterChoice {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly allowed?: readonly string[];
  readonly writes?: readonly string[];
  readonly prefix?: string;
}

type Environment = { readonly [name: string]: string | undefined };

const DEFAULT_PREFIX = 'stalemate';
const RUN_BYTES = 3;

/**
 * The cluster that was named, once the guard has let it through.
 *
 * @param environment Where a context that is named without a file is looked for; nothing else of it is looked at.
 * @throws {REFUSED} when none was named, or it is on another machine and nobody said that it is meant.
 * @throws {CONFIG_INVALID} when it cannot be read.
 */
export function chooseCluster(
  choice: ClusterChoice,
  cwd: string,
  environment: Environment = process.env,
): ExistingAccess {
  const { kubeconfig, context, allowed = [], writes = [], prefix = DEFAULT_PREFIX } = choice;
  if (kubeconfig === undefined && context === undefined)
    throw new HarnessError(
      'REFUSED',
      'got cluster "existing" without a cluster, expected --kubeconfig FILE, or --context with the exact name of one; KUBECONFIG and the current context are never used by themselves',
    );
  const file = kubeconfig === undefined ? fileWith(context ?? '', environment) : resolve(cwd, kubeconfig);
  const access = readKubeconfig(file, context);
  guardCluster(access, allowed);
  const run = drawSecretKey()
    .toString('hex')
    .slice(0, 2 * RUN_BYTES);
  return { kubeconfig: file, context: access.context, allowed, writes, prefix, run };
}

/** The same again, for whoever was only told which. */
export function openAccess({
  kubeconfig,
  context,
  allowed,
}: Omit<ExistingAccess, 'prefix' | 'run' | 'writes'>): ClusterAccess {
  const access = readKubeconfig(kubeconfig, context);
  guardCluster(access, allowed);
  return access;
}

/**
 * Asks the server for its version: the first request, and one that changes nothing.
 *
 * @throws {REFUSED} when it sends whoever asks elsewhere.
 * @throws {CLUSTER_UNAVAILABLE} when it does not answer as an API server.
 */
export async function reachCluster(remote: RemoteOptions): Promise<string> {
  const upstream = remoteUpstream(new RemoteServer(remote));
  try {
    const { code, body } = await call(upstream, { method: 'GET', path: '/version', query: {}, headers: {} });
    if (code >= 300 && code < 400)
      throw new HarnessError(
        'REFUSED',
        `${remote.url} sends requests elsewhere (${code} to GET /version), expected the API server itself; name the one that is meant`,
      );
    const { gitVersion } = (body ?? {}) as { readonly gitVersion?: string };
    if (code === 200 && gitVersion !== undefined) return gitVersion;
    throw new HarnessError(
      'CLUSTER_UNAVAILABLE',
      `${remote.url} answered ${code} to GET /version, expected an API server and credentials that it knows`,
    );
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

/** Where a run is about to write. */
export function standingText({ context, prefix, run, writes }: ExistingAccess, url: string, version: string): string {
  const outside = writes.length === 0 ? '' : `, and outside of namespaces ${writes.join(', ')}`;
  return `cluster: context "${context}" at ${url} (${version}), namespaces ${prefix}-${run}-…${outside}`;
}

/** The file that kubectl would find a context in, asked for by its name. */
function fileWith(context: string, environment: Environment): string {
  const named = environment['KUBECONFIG'] ?? '';
  const files = named === '' ? [join(environment['HOME'] || homedir(), '.kube', 'config')] : named.split(delimiter);
  const found = files
    .filter((file) => file !== '' && existsSync(file))
    .find((file) => {
      try {
        readKubeconfig(file, context);
        return true;
      } catch {
        return false;
      }
    });
  if (found !== undefined) return resolve(found);
  throw new HarnessError(
    'CONFIG_INVALID',
    `found no context "${context}" in ${files.join(', ')}, expected its exact name; name its file with --kubeconfig`,
  );
}
