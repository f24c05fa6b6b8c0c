/** The flags that define the cluster of `--cluster kind` (used by `cluster-flags.ts`). */
import type { Command } from 'commander';
import { KUBERNETES_VERSION, KUBERNETES_VERSION_FORM, type KindOptions } from '../../model/kind-options.ts';
import { usage } from '../arguments.ts';
import { given } from '../../model/given.ts';

export interface KindFlags {
  readonly kindImage?: string;
  readonly kubernetesVersion?: string;
  readonly kindConfig?: string;
  readonly keepCluster?: boolean;
}

/** Adds the flags of kind clusters to a command; they follow `--cluster`. */
export function withKindFlags(command: Command): Command {
  return command
    .option(
      '--kind-image <image>',
      'node image of a kind cluster (default: the newest kindest/node that the engine has)',
    )
    .option('--kubernetes-version <version>', 'of a kind cluster: 1.34 or 1.34.2', versionArgument)
    .option('--kind-config <file>', 'kind configuration of your own')
    .option('--keep-cluster', 'leave the kind cluster for the next run');
}

/** Applies the flags to the options of the configuration file. */
export function kindOf(
  base: KindOptions | undefined,
  { kindImage, kubernetesVersion, kindConfig, keepCluster }: KindFlags,
): KindOptions {
  return {
    ...base,
    ...given({ image: kindImage, kubernetesVersion, configFile: kindConfig, keep: keepCluster }),
  };
}

function versionArgument(text: string): string {
  if (KUBERNETES_VERSION.test(text)) return text;
  throw usage(`got Kubernetes version "${text}", ${KUBERNETES_VERSION_FORM}`);
}
