/** `stalemate clean`: removes what earlier runs left behind. */
import { Command } from 'commander';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import { ALLOW_CLUSTER_HELP, ALLOW_CONTEXT_HELP, collect } from '../arguments.ts';
import { asking } from '../ask-cluster.ts';
import type { CommandContext } from '../command-context.ts';

interface CleanFlags {
  readonly dryRun?: boolean;
  readonly allowContext?: readonly string[];
  readonly allowCluster?: readonly string[];
}

const HELP = `
Interrupted runs (kill -9, a power cut) leave things behind: control planes of --cluster envtest, toxiproxy servers, and on
--cluster existing their namespaces, CRDs and the cluster-scoped objects that the target created. The next run of the same kind removes
them; this command does it now, for every cluster that was used from this machine. It deletes only what a run recorded as its own:
a namespace by its label, anything else by its uid. What belongs to a run that is still running stays. This command does not touch
clusters of --cluster kind: they are deleted with the run that made them, or, if that failed, at the next start of such a run.

Exit codes: 0 nothing is left, 3 something is left (with the reason), 5 it is not the cluster that was used, or it redirects requests

Example:
  stalemate clean --dry-run`;

export function cleanCommand(context: CommandContext): Command {
  return new Command('clean')
    .description('Remove what interrupted runs have left behind.')
    .option('--dry-run', 'only list it')
    .option('--allow-context <name>', ALLOW_CONTEXT_HELP, collect)
    .option('--allow-cluster <uid>', ALLOW_CLUSTER_HELP, collect)
    .addHelpText('after', HELP)
    .action(async (flags: CleanFlags) => {
      context.finish(await clean(flags, context));
    });
}

async function clean(
  { dryRun = false, allowContext = [], allowCluster = [] }: CleanFlags,
  { console }: CommandContext,
): Promise<ExitCode> {
  const { admitCluster } = await import('../../clusters/existing/admission.ts');
  const { readKubeconfig } = await import('../../clusters/existing/kubeconfig-file.ts');
  const { cleanUp } = await import('../../clusters/existing/clean-up.ts');
  const { leftFootprints } = await import('../../clusters/existing/footprint.ts');
  const { CONTROL_PLANE, TOXIPROXY, endLeft } = await import('stalemate-apiserver/processes/scratch');
  const word = dryRun ? 'would remove' : 'removed';
  let isLeft = false;
  let isRefused = false;
  let isAny = false;
  for (const [kind, what] of [
    [CONTROL_PLANE, 'a control plane'],
    [TOXIPROXY, 'a toxiproxy server'],
  ] as const) {
    for (const { folder, pids } of endLeft(kind, dryRun)) {
      isAny = true;
      const running = pids.length === 0 ? '' : ` with processes ${pids.join(', ')}`;
      console.out(`${word} ${what} in ${folder}${running}\n`);
    }
  }
  for (const { footprint, head, isAlive } of leftFootprints()) {
    isAny = true;
    const where = `context "${head.context}" at ${head.url}`;
    if (isAlive) {
      const { pid, host } = head.process;
      console.out(`run ${head.run} on ${where} may still be running (process ${pid} of ${host.split(' ')[0] ?? ''})\n`);
      continue;
    }
    try {
      const named = { ...head, allowed: [...head.allowed, ...allowContext], clusters: allowCluster };
      const { url } = readKubeconfig(head.kubeconfig, head.context).remote;
      if (url !== head.url) throw new Error(`its kubeconfig points to ${url} now`);
      const { remote } = await admitCluster(named, { same: head.uid, ask: asking() });
      const { removed, left } = await cleanUp(remote, footprint, dryRun);
      console.out(`run ${head.run} on ${where}:${removed.length + left.length === 0 ? ' nothing is left' : ''}\n`);
      for (const what of removed) console.out(`  ${word} ${what}\n`);
      for (const why of left) console.out(`  left ${why}\n`);
      isLeft ||= left.length > 0;
    } catch (error) {
      isLeft = true;
      isRefused ||= error instanceof HarnessError && error.code === 'REFUSED';
      const why = error instanceof Error ? error.message : String(error);
      console.err(`stalemate: run ${head.run} on ${where}: ${why}\n`);
      console.err(`  if that cluster is gone, remove ${footprint.file}\n`);
    }
  }
  if (!isAny) console.out('nothing is left of earlier runs\n');
  if (isRefused) return EXIT.refused;
  return isLeft ? EXIT.inconclusive : EXIT.holds;
}
