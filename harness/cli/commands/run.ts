/** `stalemate run`: a campaign. */
import { Command } from 'commander';
import { budgetText } from '../../execution/budget.ts';
import { findConfigFile, loadConfigFile, type StalemateOptions } from '../../execution/config.ts';
import type { RunConfig } from '../../execution/run-config.ts';
import type { ClusterKind } from '../../model/cluster.ts';
import type { Network } from '../../model/counterexample.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { CampaignOutcome, CampaignResult } from '../../model/finding.ts';
import { progressLine } from '../../report/progress.ts';
import { redactWords } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { lockFolder } from '../../report/folder-lock.ts';
import { checkFolder } from '../../report/write-files.ts';
import { renderSummary, summarise } from '../../report/summary.ts';
import {
  authorizationArgument,
  budgetArgument,
  clusterArgument,
  collect,
  countArgument,
  metricsArgument,
  paceArgument,
  envArgument,
  networkArgument,
  readyArgument,
  seedArgument,
  timeArgument,
} from '../arguments.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import { FORMAT_NAMES, reportArgument, Reports, type ReportRequest } from '../reports.ts';
import { runDocument, scenarioOf, secretSources, targetText } from '../scenario.ts';
import type { CommandContext } from '../main.ts';

interface RunFlags {
  readonly config?: string;
  readonly crds?: readonly string[];
  readonly sample?: readonly string[];
  readonly manifests?: readonly string[];
  readonly deployment?: string;
  readonly authorization?: 'rbac' | 'allow-all';
  readonly environment?: 'auto' | 'off' | 'fast' | 'slow';
  readonly target?: string;
  readonly command?: readonly string[];
  readonly directory?: string;
  readonly env?: { readonly [name: string]: string };
  readonly network?: Network;
  readonly ready?: string;
  readonly readyWithin?: number;
  readonly grace?: number;
  readonly metrics?: string;
  readonly leaderElection?: boolean;
  readonly cluster?: ClusterKind;
  readonly property?: readonly string[];
  readonly budget?: string;
  readonly seed?: number;
  readonly warm?: boolean;
  readonly serialised?: boolean;
  readonly stopAfter?: number;
  readonly reportDir?: string;
  readonly report?: readonly ReportRequest[];
  readonly json?: boolean;
}

const HELP = `
The target is a module whose default export gets a KubeConfig and starts your controller with it, unchanged (--target); or any
program, in any language (after --): {kubeconfig}, {namespace}, {port} and {port:name} are replaced, KUBECONFIG is set. Without --config,
stalemate.config.ts (mjs, js, yaml, yml, json) of the working directory is read if it is there; flags win over it.

With --manifests, what the project ships is installed first, and the target acts as the service account of its Deployment. A command
that is a program alone gets the arguments of the Deployment. Mounted files lie below {files}, certificates for webhooks in {certs}.
{effects} is the address of a REST store outside the cluster, for controllers that keep things there.

Each finding is shrunk to a few steps, confirmed by more runs and written to DIR/failures (to replay) and DIR/records (to recheck).

Examples:
  stalemate run --target controller.ts --crds config/crd --sample sample.yaml
  stalemate run --crds config/crd/bases --sample sample.yaml -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate run --ready url:http://127.0.0.1:{port}/readyz … -- ./bin/manager --health-probe-bind-address :{port}
  stalemate run --metrics http://127.0.0.1:{port:m}/metrics … -- ./bin/manager --metrics-bind-address :{port:m}
  stalemate run --manifests dist/install.yaml --sample sample.yaml -- ./bin/manager
  stalemate run --property no-lost-update --budget 2000 --seed 7
  stalemate run --report junit --report github --report markdown=summary.md
  stalemate run --json > summary.json`;

export function runCommand(context: CommandContext): Command {
  return new Command('run')
    .description('Search for interleavings that break a controller.')
    .argument('[command...]', 'after --: the program that is the target, and its arguments')
    .option('--config <file>', 'configuration file')
    .option('--crds <path>', 'file or folder with CRDs; may be given several times', collect)
    .option('--sample <file>', 'YAML with the objects a run starts from; may be given several times', collect)
    .option('--manifests <path>', 'what the project ships: kustomize or helm output (several times)', collect)
    .option('--deployment <name>', 'which Deployment of the manifests the target is')
    .option('--authorization <mode>', 'roles of the manifests: rbac or allow-all', authorizationArgument)
    .option('--environment <speed>', 'pods and workloads become ready: auto, off, fast or slow', paceArgument)
    .option('--target <module>', 'module that starts the controller')
    .option('--directory <dir>', 'where the program is started (default: the working directory)')
    .option('--env <name=value>', 'a variable for the program, placeholders replaced (several times)', envArgument)
    .option('--ready <how>', 'when it has started: quiet, url:…, log:…, watch:… (default: quiet)', readyArgument)
    .option('--ready-within <time>', 'or else it has failed (default: 30s)', timeArgument('--ready-within'))
    .option('--grace <time>', 'SIGTERM and so long to end, instead of SIGKILL', timeArgument('--grace'))
    .option('--metrics <url>', 'where it tells Prometheus how often it reconciled', metricsArgument)
    .option('--network <kind>', 'what the program can reach: "none" (default) or "host"', networkArgument)
    .option('--leader-election', 'it elects a leader: a second replica may run beside the first')
    .option('--cluster <kind>', 'what answers the API: "embedded" or "envtest"', clusterArgument)
    .option('--property <name>', 'judge this property only; may be given several times', collect)
    .option('--budget <budget>', '60s, 5m, or a number of runs (default: 60s)', budgetArgument)
    .option('--seed <n>', 'root seed of everything that is drawn', seedArgument)
    .option('--warm', 'for a program: try on one process that lives on, prove on fresh ones')
    .option('--serialised', 'for a program with one connection: one order for what it sends, slower, replays agree')
    .option('--stop-after <n>', 'end after this many distinct findings', countArgument('--stop-after'))
    .option('--report-dir <dir>', 'folder for what is found (default: .stalemate)')
    .option(
      '--report <format[=path]>',
      `how else to tell it (several times): ${FORMAT_NAMES.join(', ')}`,
      reportArgument,
    )
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

async function runCampaignCommand(flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const { resolveRun } = await import('../library.ts');
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
  const release = lockFolder(config.reportDir);
  try {
    return await runLocked(config, flags, context);
  } finally {
    release();
  }
}

async function runLocked(config: RunConfig, flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const requests = flags.report ?? [];
  // With --json or a report for "-", stdout holds one document and nothing else.
  const tell = flags.json === true || Reports.claimStdout(requests) ? console.err : console.out;
  const reports = new Reports(requests, { console, reportDir: config.reportDir, tell, env: process.env });
  reports.begin();
  try {
    return await runTold(config, flags.json === true, reports, context);
  } finally {
    reports.end();
  }
}

async function runTold(
  config: RunConfig,
  json: boolean,
  reports: Reports,
  { console, signal }: CommandContext,
): Promise<ExitCode> {
  const { runConfigured } = await import('../library.ts');
  const { tell } = reports;
  tell(`${headText(config, console.cwd)}\n`);
  for (const warning of config.warnings) tell(`warning: ${warning}\n`);

  const progress = progressLine(process.stderr);
  const vault = new Vault();
  const keeper = new FindingKeeper(config.reportDir, console, tell, vault);
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

  const redacted = redactWords(keeper.withoutSecrets(result), secretSources(config), vault);
  const summary = summarise(redacted, (finding) => keeper.pathOf(finding));
  if (json) console.out(`${JSON.stringify(summary, null, 2)}\n`);
  else tell(renderSummary(summary, console));
  const pathsOf = keeper.pathsOf.bind(keeper);
  const scenario = scenarioOf(config, redacted, { cwd: console.cwd, env: process.env, pathsOf });
  reports.write(runDocument(scenario, config, vault));
  const failures = [...keeper.failures, ...reports.failures];
  for (const message of failures) console.err(`stalemate: ${message}\n`);
  if (keeper.fault !== undefined) throw keeper.fault;
  return exitOf(result, failures.length > 0);
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
    ...(flags.manifests === undefined ? {} : { manifests: flags.manifests }),
    ...(flags.deployment === undefined ? {} : { deployment: flags.deployment }),
    ...(flags.authorization === undefined ? {} : { authorization: flags.authorization }),
    ...(flags.environment === undefined ? {} : { environment: { workloads: flags.environment } }),
    ...(flags.target === undefined ? {} : { target: flags.target }),
    ...(flags.command === undefined ? {} : { command: flags.command }),
    ...(flags.directory === undefined ? {} : { directory: flags.directory }),
    ...(flags.env === undefined ? {} : { env: { ...base.env, ...flags.env } }),
    ...(flags.ready === undefined ? {} : { ready: flags.ready }),
    ...(flags.readyWithin === undefined ? {} : { readyWithinMs: flags.readyWithin }),
    ...(flags.grace === undefined ? {} : { graceMs: flags.grace }),
    ...(flags.metrics === undefined ? {} : { metrics: flags.metrics }),
    ...(flags.leaderElection === undefined ? {} : { leaderElection: flags.leaderElection }),
    ...(flags.network === undefined ? {} : { network: flags.network }),
    ...(flags.cluster === undefined ? {} : { cluster: flags.cluster }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.warm === undefined ? {} : { warm: flags.warm }),
    ...(flags.serialised === undefined ? {} : { serialised: flags.serialised }),
    ...(flags.stopAfter === undefined ? {} : { stopAfter: flags.stopAfter }),
    ...(flags.reportDir === undefined ? {} : { reportDir: flags.reportDir }),
  };
}

/** What is about to run, so that the output alone tells how to run it again. */
function headText(config: RunConfig, cwd: string): string {
  const names = config.properties.map(({ name }) => name).join(', ');
  return [
    `stalemate: ${targetText(config, cwd)} on ${config.cluster}, seed ${config.seed}, ${budgetText(config.budget)}`,
    `properties: ${names}`,
    `writers: ${config.writers.join(', ') || 'none'} · faults: ${config.faults.join(', ') || 'none'}`,
  ].join('\n');
}
