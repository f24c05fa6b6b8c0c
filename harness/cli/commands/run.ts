/** `stalemate run`: a campaign. */
import { relative } from 'node:path';
import { Command } from 'commander';
import { budgetText } from '../../execution/budget.ts';
import { findConfigFile, loadConfigFile, type StalemateOptions } from '../../execution/config.ts';
import type { RunConfig } from '../../execution/run-config.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { CampaignOutcome, CampaignResult } from '../../model/finding.ts';
import { progressLine } from '../../report/progress.ts';
import { checkFolder } from '../../report/write-files.ts';
import { renderSummary, summarise } from '../../report/summary.ts';
import { budgetArgument, clusterArgument, collect, countArgument, seedArgument } from '../arguments.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import type { CommandContext } from '../main.ts';

interface RunFlags {
  readonly config?: string;
  readonly crds?: readonly string[];
  readonly sample?: readonly string[];
  readonly target?: string;
  readonly command?: readonly string[];
  readonly cluster?: 'embedded';
  readonly property?: readonly string[];
  readonly budget?: string;
  readonly seed?: number;
  readonly stopAfter?: number;
  readonly report?: string;
  readonly json?: boolean;
}

const HELP = `
The target is a module whose default export gets a KubeConfig and starts your controller with it, unchanged (--target); or any
program, in any language (after --): {kubeconfig}, {namespace} and {port} are replaced, KUBECONFIG is set. Without --config,
stalemate.config.ts (mjs, js, yaml, yml, json) of the working directory is read if it is there; flags win over it.

Each finding is shrunk to a few steps, confirmed five times and written to DIR/failures (to replay) and DIR/records (to recheck).

Examples:
  stalemate run --target controller.ts --crds config/crd --sample sample.yaml
  stalemate run --crds config/crd/bases --sample sample.yaml -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate run --property no-lost-update --budget 2000 --seed 7
  stalemate run --json > summary.json`;

export function runCommand(context: CommandContext): Command {
  return new Command('run')
    .description('Search for interleavings that break a controller.')
    .argument('[command...]', 'after --: the program that is the target, and its arguments')
    .option('--config <file>', 'configuration file')
    .option('--crds <path>', 'file or folder with CRDs; may be given several times', collect)
    .option('--sample <file>', 'YAML with the objects a run starts from; may be given several times', collect)
    .option('--target <module>', 'module that starts the controller')
    .option('--cluster <kind>', 'what answers the API: "embedded"', clusterArgument)
    .option('--property <name>', 'judge this property only; may be given several times', collect)
    .option('--budget <budget>', '60s, 5m, or a number of runs (default: 60s)', budgetArgument)
    .option('--seed <n>', 'root seed of everything that is drawn', seedArgument)
    .option('--stop-after <n>', 'end after this many distinct findings', countArgument('--stop-after'))
    .option('--report <dir>', 'folder for what is found (default: .stalemate)')
    .option('--json', 'print the summary as JSON on stdout')
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: RunFlags, self: Command) => {
      // A word that is no option is a slip rather than a program, unless -- says so.
      const said = (self.parent as { readonly rawArgs?: readonly string[] } | null)?.rawArgs?.includes('--') ?? false;
      if (command.length > 0 && !said)
        self.error(`too many arguments: "${command.join(' ')}"; a command stands after --`);
      context.finish(await runCampaignCommand(command.length === 0 ? flags : { ...flags, command }, context));
    });
}

async function runCampaignCommand(flags: RunFlags, { console, signal }: CommandContext): Promise<ExitCode> {
  const { resolveRun, runConfigured } = await import('../library.ts');
  const configFile = flags.config ?? findConfigFile(console.cwd);
  const base = configFile === undefined ? {} : await loadConfigFile(configFile);
  const only = flags.property ?? [];
  const config = resolveRun(mergeFlags(base, flags), {
    cwd: console.cwd,
    only,
    ...(configFile === undefined ? {} : { configFile }),
  });
  if (config.properties.length === 0) {
    throw new HarnessError(
      'CONFIG_INVALID',
      'got no property, expected at least one to judge; see "stalemate list properties"',
    );
  }
  checkFolder(config.reportDir);
  const json = flags.json === true;
  // With --json, stdout holds one document and nothing else.
  const tell = json ? console.err : console.out;
  tell(`${headText(config, console.cwd)}\n`);

  const progress = progressLine(process.stderr);
  const keeper = new FindingKeeper(config.reportDir, console, tell);
  const result = await runConfigured(config, {
    signal,
    events: {
      onProgress: (facts) => progress.show(facts),
      onFinding: (finding) => {
        progress.clear();
        keeper.keep(finding);
      },
    },
  }).finally(() => progress.clear());

  const summary = summarise(result, (finding) => keeper.pathOf(finding));
  if (json) console.out(`${JSON.stringify(summary, null, 2)}\n`);
  else console.out(renderSummary(summary, console));
  for (const message of keeper.failures) console.err(`stalemate: ${message}\n`);
  if (keeper.fault !== undefined) throw keeper.fault;
  return exitOf(result, keeper.failures.length > 0);
}

const EXIT_BY_OUTCOME: { readonly [outcome in CampaignOutcome]: ExitCode } = {
  holds: EXIT.holds,
  violated: EXIT.violated,
  inconclusive: EXIT.inconclusive,
  vacuous: EXIT.inconclusive,
  interrupted: EXIT.inconclusive,
};

function exitOf({ outcome }: CampaignResult, outputFailed: boolean): ExitCode {
  const code = EXIT_BY_OUTCOME[outcome];
  return code === EXIT.holds && outputFailed ? EXIT.inconclusive : code;
}

function mergeFlags(base: StalemateOptions, flags: RunFlags): StalemateOptions {
  return {
    ...base,
    ...(flags.crds === undefined ? {} : { crds: flags.crds }),
    ...(flags.sample === undefined ? {} : { samples: flags.sample }),
    ...(flags.target === undefined ? {} : { target: flags.target }),
    ...(flags.command === undefined ? {} : { command: flags.command }),
    ...(flags.cluster === undefined ? {} : { cluster: flags.cluster }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.stopAfter === undefined ? {} : { stopAfter: flags.stopAfter }),
    ...(flags.report === undefined ? {} : { reportDir: flags.report }),
  };
}

/** What is about to run, so that the output alone tells how to run it again. */
function headText(config: RunConfig, cwd: string): string {
  const names = config.properties.map(({ name }) => name).join(', ');
  return [
    `stalemate: ${config.process?.command.join(' ') ?? relative(cwd, config.target)} on ${config.cluster}, seed ${config.seed}, ${budgetText(config.budget)}`,
    `properties: ${names}`,
    `writers: ${config.writers.join(', ') || 'none'} · faults: ${config.faults.join(', ') || 'none'}`,
  ].join('\n');
}
