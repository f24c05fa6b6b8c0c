/** `stalemate run`: runs a campaign. */
import { Command } from 'commander';
import { againOf } from '../campaign/again.ts';
import { runCampaign } from '../campaign/run.ts';
import type { CommandContext } from '../command-context.ts';
import { withRunFlags, type RunFlags } from './run-flags.ts';
import { flagsWith } from './target-flags.ts';

const HELP = `
The target is a module whose default export gets a KubeConfig and starts your controller with it, unchanged (--target); or any
program, in any language (after --): {kubeconfig}, {namespace}, {port} and {port:name} are replaced, KUBECONFIG is set. Without --config,
stalemate.config.ts (mjs, js, yaml, yml, json) of the working directory is read if it is there; flags win over it.

With --manifests, what the project ships is installed first, and the target acts as the service account of its Deployment. A command
that is a program alone gets the arguments of the Deployment. Mounted files are below {files}, certificates for webhooks in {certs}.
{effects} is the address of a REST store outside the cluster, for controllers that manage objects there.

Each finding is shrunk to a few steps, run again to see how often it fails, and written to DIR/failures (to replay) and DIR/records (to recheck).
Findings of the corpus ("stalemate corpus promote") are replayed before the search: a fixed one that fails again is a regression.

Examples:
  stalemate run --target controller.ts --crds config/crd --sample sample.yaml
  stalemate run --crds config/crd/bases --sample sample.yaml -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate run --ready url:http://127.0.0.1:{port}/readyz … -- ./bin/manager --health-probe-bind-address :{port}
  stalemate run --metrics http://127.0.0.1:{port:m}/metrics … -- ./bin/manager --metrics-bind-address :{port:m}
  stalemate run --faults connection --crds config/crd/bases --sample sample.yaml -- ./bin/manager
  stalemate run --manifests dist/install.yaml --sample sample.yaml -- ./bin/manager
  stalemate run --image my-operator:dev --crds config/crd/bases --sample sample.yaml
  stalemate run --property no-lost-update --budget 2000 --seed 7
  stalemate run --report junit --report github --report markdown=summary.md
  stalemate run --json > summary.json`;

export function runCommand(context: CommandContext): Command {
  return withRunFlags(new Command('run'))
    .description('Search for interleavings that break a controller.')
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: RunFlags, self: Command) => {
      context.finish(await runCampaign({ ...flagsWith(command, flags, self), again: againOf(self) }, context));
    });
}
