/** `--dry-run`: prints what a run would change on an existing cluster. */
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import type { RunConfig } from '../../execution/config/run-config.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { CommandContext } from '../command-context.ts';

export async function dryRun(config: RunConfig, console: CommandContext['console']): Promise<ExitCode> {
  if (config.existing === null)
    throw new HarnessError(
      'USAGE',
      `got --dry-run with cluster "${config.cluster}", which is started for the run alone; expected --cluster existing`,
    );
  await printPlan(config, config.existing, console);
  return EXIT.holds;
}

/** Prints what a run would change on an existing cluster. */
async function printPlan(config: RunConfig, access: ExistingAccess, console: CommandContext['console']): Promise<void> {
  const { standingText } = await import('../../clusters/existing/access.ts');
  const { admitCluster } = await import('../../clusters/existing/admission.ts');
  const { planFor } = await import('../../clusters/existing/plan.ts');
  const { namespacesThere } = await import('../../execution/hosts/existing-namespaces.ts');
  const { remote, version } = await admitCluster(access);
  console.out(`${standingText(access, remote.url, version)}\n`);
  const { crds, samples, project } = config;
  const shipped = (project?.objects ?? []).map((object) => ({
    ...object,
    metadata: { namespace: config.namespace, ...object.metadata },
  }));
  const namespaces = [...namespacesThere(config, access).names.keys()];
  for (const line of await planFor({ access, remote, crds, samples, shipped, namespaces })) console.out(`  ${line}\n`);
}
