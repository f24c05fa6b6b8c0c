/** `stalemate doctor`: checks this machine and this project, and prints fixes for what is missing. */
import { Command } from 'commander';
import type { ClusterKind } from '../../model/cluster.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { wrapWithin } from '../../report/text-wrap.ts';
import { clusterOption } from '../arguments.ts';
import type { Console } from '../console.ts';
import type { Check, CheckState } from '../doctor/check.ts';
import type { CommandContext } from '../command-context.ts';

interface DoctorFlags {
  readonly kindImage?: string;
  readonly config?: string;
  readonly cluster?: ClusterKind;
  readonly json?: boolean;
}

const HELP = `
Changes nothing: it starts no cluster and fetches no image. What every run needs is marked ✗ if it is missing, with the exact fix; what
only some runs need is marked –. --cluster says which kind of cluster your runs use.

Examples:
  stalemate doctor
  stalemate doctor --cluster kind
  stalemate doctor --json

Exit codes: 0 runs can be made, 3 something that they need is missing`;

export function doctorCommand(context: CommandContext): Command {
  return new Command('doctor')
    .description('Check this machine and this project, and name the fix for what is missing.')
    .option('--config <file>', 'configuration file')
    .addOption(clusterOption())
    .option('--kind-image <image>', 'node image of a kind cluster')
    .option('--json', 'print the checks as JSON on stdout')
    .addHelpText('after', HELP)
    .action(async (flags: DoctorFlags) => {
      context.finish(await doctor(flags, context.console));
    });
}

async function doctor(flags: DoctorFlags, console: Console): Promise<ExitCode> {
  const { hostChecks } = await import('../doctor/host.ts');
  const { clusterChecks } = await import('../doctor/clusters.ts');
  const { projectChecks } = await import('../doctor/project.ts');
  const project = await projectChecks(flags.config, console);
  const cluster = flags.cluster ?? project.options.cluster ?? 'embedded';
  const checks = [
    ...(await hostChecks()),
    ...project.checks,
    ...(await clusterChecks(cluster, {
      ...project.options.kind,
      ...(flags.kindImage === undefined ? {} : { image: flags.kindImage }),
    })),
  ];
  const isWell = checks.every(({ state }) => state !== 'wrong');
  if (flags.json === true) console.out(`${JSON.stringify({ version: 1, ok: isWell, cluster, checks }, null, 2)}\n`);
  else {
    for (const check of checks) console.out(checkText(check, console.width));
    console.out(
      isWell
        ? `\nruns on ${cluster} can be made\n`
        : `\nruns on ${cluster} cannot be made before that is fixed: ${names(checks)}\n`,
    );
  }
  return isWell ? EXIT.holds : EXIT.inconclusive;
}

function names(checks: readonly Check[]): string {
  return checks.flatMap(({ name, state }) => (state === 'wrong' ? [name] : [])).join(', ');
}

const SIGNS: { readonly [state in CheckState]: string } = { ok: '✓', absent: '–', wrong: '✗' };
const INDENT = 17;

function checkText({ name, state, found, fix }: Check, width: number): string {
  const lines = [found, ...(fix === undefined ? [] : fix.split('\n').map((line) => `fix: ${line.trim()}`))];
  return lines
    .flatMap((line) => wrapWithin(line, width - INDENT, 0, 9))
    .map((line, at) => `${at === 0 ? `${SIGNS[state]} ${name}`.padEnd(INDENT) : ' '.repeat(INDENT)}${line}\n`)
    .join('');
}
