/**
 * Which existing cluster is meant.
 *
 * Owns: that a cluster is named and never found. Does not own: whether it may be used (`admission.ts`). Start at {@link chooseCluster}.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import { HarnessError } from '../../model/errors.ts';
import { readKubeconfig } from './kubeconfig-file.ts';

/** What a run needs to find the cluster again; nothing of it is secret. */
export interface ExistingAccess {
  /** Absolute path. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Contexts that are meant, whatever they lead to. */
  readonly allowed: readonly string[];
  /** Clusters that are meant, by the uid of their namespace kube-system. */
  readonly clusters: readonly string[];
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
  readonly clusters?: readonly string[];
  readonly writes?: readonly string[];
  readonly prefix?: string;
}

type Environment = { readonly [name: string]: string | undefined };

const DEFAULT_PREFIX = 'stalemate';
const RUN_BYTES = 3;

/**
 * The cluster that was named.
 *
 * @param environment Where a context that is named without a file is looked for; nothing else of it is looked at.
 * @throws {REFUSED} when none was named.
 * @throws {CONFIG_INVALID} when it cannot be read.
 */
export function chooseCluster(
  choice: ClusterChoice,
  cwd: string,
  environment: Environment = process.env,
): ExistingAccess {
  const { kubeconfig, context, allowed = [], clusters = [], writes = [], prefix = DEFAULT_PREFIX } = choice;
  if (kubeconfig === undefined && context === undefined)
    throw new HarnessError(
      'REFUSED',
      'got cluster "existing" without a cluster, expected --kubeconfig FILE, or --context with the exact name of one; KUBECONFIG and the current context are never used implicitly',
    );
  const file = kubeconfig === undefined ? fileWith(context ?? '', environment) : resolve(cwd, kubeconfig);
  const access = readKubeconfig(file, context);
  const run = drawSecretKey()
    .toString('hex')
    .slice(0, 2 * RUN_BYTES);
  return { kubeconfig: file, context: access.context, allowed, clusters, writes, prefix, run };
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
