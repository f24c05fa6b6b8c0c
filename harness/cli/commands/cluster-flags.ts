/** The flags that select the API server and the disturbances of its connections, for every command that runs a target. */
import type { Command } from 'commander';
import type { ClusterKind } from '../../model/cluster.ts';
import {
  ALLOW_CLUSTER_HELP,
  ALLOW_CONTEXT_HELP,
  clusterOption,
  clusterWriteArgument,
  collect,
  prefixArgument,
  type ExistingFlags,
} from '../arguments.ts';
import { withKindFlags, type KindFlags } from './kind-flags.ts';

export interface ClusterFlags extends KindFlags, ExistingFlags {
  readonly cluster?: ClusterKind;
  readonly toxiproxy?: string;
}

/** Adds the cluster flags to a command. */
export function withClusterFlags(command: Command): Command {
  return withKindFlags(
    command
      .addOption(clusterOption())
      .option('--kubeconfig <file>', 'for --cluster existing: its kubeconfig; never discovered')
      .option('--context <name>', 'its context (default: the current one of that file)')
      .option('--allow-context <name>', ALLOW_CONTEXT_HELP, collect)
      .option('--allow-cluster <uid>', ALLOW_CLUSTER_HELP, collect)
      .option('--namespace-prefix <text>', 'of the namespaces made there (default: stalemate)', prefixArgument)
      .option(
        '--allow-cluster-write <kind=name>',
        'cluster-scoped resources the target may create there (several times)',
        clusterWriteArgument,
      )
      .option('--toxiproxy <path>', 'server for faults of connections (default: on PATH, or built)'),
  );
}
