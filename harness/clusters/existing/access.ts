/**
 * Selects the existing cluster to use.
 *
 * Owns: the rule that the user names a cluster and none is discovered. Does not own: whether the cluster may be used (`admission.ts`).
 * Start at {@link chooseCluster}.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { EnvVars } from 'stalemate-apiserver/processes/env-vars';
import { drawSecretKey } from '../../determinism/secret-key.ts';
import { HarnessError } from '../../model/errors.ts';
import { readKubeconfig } from './kubeconfig-file.ts';

/** The settings with which a run finds the cluster again; contains no secrets. */
export interface ExistingAccess {
  /** An absolute path. */
  readonly kubeconfig: string;
  readonly context: string;
  /** Contexts that the user allowed, whichever cluster they point to. */
  readonly allowed: readonly string[];
  /** Clusters that the user allowed, by the uid of their namespace kube-system. */
  readonly clusters: readonly string[];
  /** Cluster-scoped objects that actors may create (`cluster-writes.ts`). */
  readonly writes: readonly string[];
  /** The prefix of the names of the run's namespaces. */
  readonly prefix: string;
  /** The name of the run, and the label value of everything that it creates for itself. */
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

const DEFAULT_PREFIX = 'stalemate';
const RUN_BYTES = 3;

/**
 * Returns the cluster that the user named.
 *
 * @param environment - Where to look for a context that is named without a file; nothing else in it is read.
 * @throws {REFUSED} if no cluster was named.
 * @throws {CONFIG_INVALID} if the kubeconfig cannot be read.
 */
export function chooseCluster(choice: ClusterChoice, cwd: string, environment: EnvVars = process.env): ExistingAccess {
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

/** Describes where a run is about to write. */
export function standingText({ context, prefix, run, writes }: ExistingAccess, url: string, version: string): string {
  const outside = writes.length === 0 ? '' : `, and outside of namespaces ${writes.join(', ')}`;
  return `cluster: context "${context}" at ${url} (${version}), namespaces ${prefix}-${run}-…${outside}`;
}

/** Finds the kubeconfig file that contains a context, among those that kubectl would search. */
function fileWith(context: string, environment: EnvVars): string {
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
