/** `stalemate run`: a campaign. */
import { Command } from 'commander';
import { budgetText } from '../../execution/budget.ts';
import { outcomeOf } from '../../execution/campaign.ts';
import { findConfigFile, loadConfigFile, type StalemateOptions } from '../../execution/config.ts';
import type { ExistingAccess } from '../../clusters/existing/access.ts';
import type { RunConfig } from '../../execution/run-config.ts';
import { EXIT, HarnessError, type ExitCode } from '../../model/errors.ts';
import type { NamedEntry } from '../../model/corpus.ts';
import type { CampaignOutcome, CampaignResult } from '../../model/finding.ts';
import { progressLine } from '../../report/progress.ts';
import { redactWords } from '../../report/redaction/index.ts';
import { Vault } from '../../report/redaction/vault.ts';
import { lockFolder } from '../../report/folder-lock.ts';
import { checkFolder } from '../../report/write-files.ts';
import { renderSummary, summarise, type Summary } from '../../report/summary.ts';
import {
  budgetArgument,
  collect,
  corpusBudgetArgument,
  countArgument,
  faultsArgument,
  seedArgument,
} from '../arguments.ts';
import { budgetsOf, readBaseline, type KeptBaseline } from '../baseline.ts';
import { readWholeCorpus } from '../corpus/folder.ts';
import type { CorpusReplay } from '../corpus/replay-first.ts';
import { type BaseBuild, baseBuild, type BaseContext, type BaseFlags, judgeOnBase, replayLike } from '../base-build.ts';
import { FindingKeeper } from '../finding-keeper.ts';
import { FORMAT_NAMES, reportArgument, Reports, type ReportRequest } from '../reports.ts';
import { runDocument, scenarioOf, secretSources, targetText } from '../scenario.ts';
import type { CommandContext } from '../main.ts';
import { flagsWith, mergeTargetFlags, withTargetFlags, type TargetFlags } from './target-flags.ts';

export interface RunFlags extends TargetFlags {
  /** `false`: `--no-corpus`. */
  readonly corpus?: string | boolean;
  readonly corpusBudget?: string;
  readonly baseline?: string;
  readonly updateBaseline?: boolean;
  readonly faults?: { readonly [name: string]: boolean };
  readonly dryRun?: boolean;
  readonly property?: readonly string[];
  readonly budget?: string;
  readonly seed?: number;
  readonly warm?: boolean;
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
Findings kept with "stalemate corpus promote" are replayed before the search: a fixed one that fails again is a regression.

Examples:
  stalemate run --target controller.ts --crds config/crd --sample sample.yaml
  stalemate run --crds config/crd/bases --sample sample.yaml -- ./bin/manager --kubeconfig {kubeconfig}
  stalemate run --ready url:http://127.0.0.1:{port}/readyz … -- ./bin/manager --health-probe-bind-address :{port}
  stalemate run --metrics http://127.0.0.1:{port:m}/metrics … -- ./bin/manager --metrics-bind-address :{port:m}
  stalemate run --faults connection --crds config/crd/bases --sample sample.yaml -- ./bin/manager
  stalemate run --manifests dist/install.yaml --sample sample.yaml -- ./bin/manager
  stalemate run --property no-lost-update --budget 2000 --seed 7
  stalemate run --report junit --report github --report markdown=summary.md
  stalemate run --json > summary.json`;

export function runCommand(context: CommandContext): Command {
  return withRunFlags(new Command('run'))
    .description('Search for interleavings that break a controller.')
    .addHelpText('after', HELP)
    .action(async (command: readonly string[], flags: RunFlags, self: Command) => {
      context.finish(await runCampaignCommand(flagsWith(command, flags, self), context));
    });
}

/** All that a search can be told. */
export function withRunFlags(command: Command): Command {
  return withTargetFlags(command)
    .option('--faults <names>', 'also these: "connection", or its kinds by name (toxiproxy)', faultsArgument)
    .option('--dry-run', 'for --cluster existing: list what would be touched there, and end')
    .option('--property <name>', 'judge this property only; may be given several times', collect)
    .option('--budget <budget>', '60s, 5m, or a number of runs (default: 60s)', budgetArgument)
    .option('--seed <n>', 'root seed of everything that is drawn', seedArgument)
    .option('--warm', 'for a program: try on one process that lives on, prove on fresh ones')
    .option('--stop-after <n>', 'end after this many distinct findings', countArgument('--stop-after'))
    .option('--report-dir <dir>', 'folder for what is found (default: .stalemate)')
    .option(
      '--report <format[=path]>',
      `how else to tell it (several times): ${FORMAT_NAMES.join(', ')}`,
      reportArgument,
    )
    .option('--corpus <dir>', 'findings that are kept, replayed first (default: .stalemate/corpus)')
    .option('--no-corpus', 'replay none')
    .option('--corpus-budget <time>', 'how long replaying them may take (default: 60s)', corpusBudgetArgument)
    .option('--baseline <file>', 'budgets to keep to (default: .stalemate/baseline.json, if it is there)')
    .option('--update-baseline', 'write the budgets anew, from what this run measured')
    .option('--json', 'print the summary as JSON on stdout');
}

/** How a campaign for a change differs from any other. */
export interface ForChange {
  readonly base: BaseFlags;
  /** When neither flag nor configuration names one. */
  readonly seed: number;
}

export async function runCampaignCommand(
  flags: RunFlags,
  context: CommandContext,
  change?: ForChange,
): Promise<ExitCode> {
  const { console } = context;
  const { resolveRun } = await import('../library.ts');
  const configFile = flags.config ?? findConfigFile(console.cwd);
  const configured = configFile === undefined ? {} : await loadConfigFile(configFile);
  const base = change === undefined ? configured : { seed: change.seed, ...configured };
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
  if (flags.dryRun === true) {
    if (config.existing === null)
      throw new HarnessError(
        'USAGE',
        `got --dry-run with cluster "${config.cluster}", which nobody else uses; expected --cluster existing`,
      );
    await tellPlan(config, config.existing, console);
    return EXIT.holds;
  }
  const build = change === undefined ? undefined : baseBuild(change.base, config, console.cwd);
  // Before anything takes long: a corpus that cannot be read is never passed over.
  const kept = flags.corpus === false ? [] : readWholeCorpus(config.corpus.folder, console.cwd);
  const baseline = readBaseline(config, console.cwd);
  checkFolder(config.reportDir);
  const release = lockFolder(config.reportDir);
  try {
    return await runLocked({ config, kept, build, baseline, update: flags.updateBaseline === true }, flags, context);
  } finally {
    release();
  }
}

interface Prepared extends KeptBaseline {
  readonly config: RunConfig;
  readonly kept: readonly NamedEntry[];
  readonly build: BaseBuild | undefined;
}

async function runLocked(prepared: Prepared, flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  const { console } = context;
  const requests = flags.report ?? [];
  // With --json or a report for "-", stdout holds one document and nothing else.
  const tell = flags.json === true || Reports.claimStdout(requests) ? console.err : console.out;
  const reports = new Reports(requests, { console, reportDir: prepared.config.reportDir, tell, env: process.env });
  reports.begin();
  try {
    return await runTold(prepared, flags.json === true, reports, context);
  } finally {
    reports.end();
  }
}

async function runTold(
  { config, kept, build, baseline, update }: Prepared,
  json: boolean,
  reports: Reports,
  context: CommandContext,
): Promise<ExitCode> {
  const { console, signal } = context;
  const { runConfigured, standOn } = await import('../library.ts');
  const { knownSignatures } = await import('../corpus/replay-first.ts');
  const { tell } = reports;
  const vault = new Vault();
  // Logs of a CI are read by many: what a command or a variable says in secret is not told there either.
  const first = {
    warnings: [headText(config, console.cwd), ...config.warnings],
    inconclusive: { count: 0, reasons: {} },
  };
  const [head = '', ...warnings] = redactWords(first, secretSources(config), vault).warnings;
  tell(`${head}\n`);
  for (const warning of warnings) tell(`warning: ${warning}\n`);

  const progress = progressLine(process.stderr);
  const keeper = new FindingKeeper(config.reportDir, console, tell, vault);
  const onCluster = (line: string): void => tell(`${line}\n`);
  const { corpus, result } = await standOn(config, { signal, onCluster }, async (ready) => {
    const corpus = await replayKept(kept, ready, tell, context);
    const searched = await runConfigured(ready, {
      signal,
      onCluster,
      ...(corpus === undefined ? {} : { expected: knownSignatures(corpus.revisited) }),
      events: {
        onProgress: (facts) => progress.show(facts),
        onFinding: (finding) => {
          progress.clear();
          keeper.keep(finding);
        },
      },
    }).finally(() => progress.clear());
    return {
      corpus,
      result:
        build === undefined ? searched : await onBase(searched, build, ready, { tell, console, signal, onCluster }),
    };
  });

  const redacted = redactWords(keeper.withoutSecrets(result), secretSources(config), vault);
  const budgets = budgetsOf({ baseline, update }, config, redacted, {
    tell,
    failures: keeper.failures,
    cwd: console.cwd,
  });
  const summary = summarise(redacted, (finding) => keeper.pathOf(finding), corpus?.summary, budgets);
  if (json) console.out(`${JSON.stringify(summary, null, 2)}\n`);
  else tell(renderSummary(summary, console));
  const pathsOf = keeper.pathsOf.bind(keeper);
  const scenario = scenarioOf(
    config,
    { ...redacted, outcome: summary.outcome },
    { cwd: console.cwd, env: process.env, pathsOf },
    corpus?.summary,
  );
  reports.write(runDocument(scenario, config, vault));
  const failures = [...keeper.failures, ...reports.failures];
  for (const message of failures) console.err(`stalemate: ${message}\n`);
  if (keeper.fault !== undefined) throw keeper.fault;
  return exitOf(summary, failures.length > 0);
}

/** What is new, and what the campaign comes to then. */
async function onBase(
  result: CampaignResult,
  build: BaseBuild,
  config: RunConfig,
  { console, ...manner }: Pick<CommandContext, 'console' | 'signal'> & Pick<BaseContext, 'tell' | 'onCluster'>,
): Promise<CampaignResult> {
  const findings = await judgeOnBase(result.findings, build, { ...replayLike(config, console.cwd), ...manner });
  return { ...result, findings, outcome: outcomeOf(findings, result.besides) };
}

/** What is known is looked at before anything new is searched for. */
async function replayKept(
  kept: readonly NamedEntry[],
  config: RunConfig,
  tell: (text: string) => void,
  { console, signal }: CommandContext,
): Promise<CorpusReplay | undefined> {
  const chosen = new Set(config.properties.map(({ name }) => name));
  const mine = kept.filter(({ entry }) => chosen.has(entry.signature.property));
  if (mine.length < kept.length) {
    const left = kept.filter(({ entry }) => !chosen.has(entry.signature.property)).map(({ name }) => name);
    tell(`corpus: left out, for their properties are not judged in this run: ${left.join(', ')}\n`);
  }
  if (mine.length === 0) return undefined;
  const { replayCorpus } = await import('../corpus/replay-first.ts');
  return replayCorpus(mine, config, { console, tell, signal, budgetMs: config.corpus.budgetMs });
}

const EXIT_BY_OUTCOME: { readonly [outcome in CampaignOutcome]: ExitCode } = {
  holds: EXIT.holds,
  violated: EXIT.violated,
  inconclusive: EXIT.inconclusive,
  vacuous: EXIT.inconclusive,
  interrupted: EXIT.inconclusive,
};

function exitOf({ outcome }: Summary, outputFailed: boolean): ExitCode {
  const code = EXIT_BY_OUTCOME[outcome];
  return code === EXIT.holds && outputFailed ? EXIT.inconclusive : code;
}

function mergeFlags(base: StalemateOptions, flags: RunFlags): StalemateOptions {
  return {
    ...mergeTargetFlags(base, flags),
    ...(flags.faults === undefined ? {} : { faults: { ...base.faults, ...flags.faults } }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.seed === undefined ? {} : { seed: flags.seed }),
    ...(flags.warm === undefined ? {} : { warm: flags.warm }),
    ...(flags.stopAfter === undefined ? {} : { stopAfter: flags.stopAfter }),
    ...(flags.reportDir === undefined ? {} : { reportDir: flags.reportDir }),
    ...(flags.baseline === undefined ? {} : { baseline: flags.baseline }),
    ...mergeCorpusFlags(base, flags),
  };
}

function mergeCorpusFlags({ corpus }: StalemateOptions, flags: RunFlags): Pick<StalemateOptions, 'corpus'> {
  const folder = typeof flags.corpus === 'string' ? { folder: flags.corpus } : {};
  const budget = flags.corpusBudget === undefined ? {} : { budget: flags.corpusBudget };
  return { corpus: { ...corpus, ...folder, ...budget } };
}

/** What would be touched on a cluster of somebody else. */
async function tellPlan(config: RunConfig, access: ExistingAccess, console: CommandContext['console']): Promise<void> {
  const { openAccess, reachCluster, standingText } = await import('../../clusters/existing/access.ts');
  const { planFor } = await import('../../clusters/existing/plan.ts');
  const { namespacesThere } = await import('../../execution/existing-namespaces.ts');
  const { remote } = openAccess(access);
  console.out(`${standingText(access, remote.url, await reachCluster(remote))}\n`);
  const { crds, samples } = config;
  const namespaces = [...namespacesThere(config, access).names.keys()];
  for (const line of await planFor({ access, remote, crds, samples, namespaces })) console.out(`  ${line}\n`);
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
